"""The scikit-learn layer: learners that need a fixed data set get one, drawn once.

resampler   OneShotResampler: the copies of a data set, as imbalanced-learn's samplers give them
classifier  OneShotClassifier: augment inside fit, average in predict
regressor   OneShotRegressor: the same for numbers, which may move along
kernel      AveragedKernel: a kernel averaged over S, for learners that take one
base        what these two share
parameters  from an estimator's parameters to an action and S
scoring     moved_scorer, moved_folds: scores on freshly moved samples
copies      copies of arrays and of data frames
frames      what copies ask of a data frame, pandas' or polars'
"""

from sparseaug.errors import need

need("sklearn", "sparseaug.sklearn", extra="sparseaug[sklearn]")

from sparseaug.sklearn.classifier import OneShotClassifier
from sparseaug.sklearn.kernel import AveragedKernel
from sparseaug.sklearn.regressor import OneShotRegressor
from sparseaug.sklearn.resampler import OneShotResampler
from sparseaug.sklearn.scoring import moved_folds, moved_scorer

__all__ = [
    "AveragedKernel",
    "OneShotClassifier",
    "OneShotRegressor",
    "OneShotResampler",
    "moved_folds",
    "moved_scorer",
]


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
