"""The scikit-learn layer: learners that need a fixed data set get one, drawn once.

resampler   OneShotResampler: the copies of a data set, as imbalanced-learn's samplers give them
estimators  OneShotClassifier, OneShotRegressor: augment inside fit, average in predict
parameters  from an estimator's parameters to an action and S
scoring     moved_scorer, moved_folds: scores on freshly moved samples
copies      copies of arrays and of data frames, and means over S
"""

from sparseaug.errors import need

need("sklearn", "sparseaug.sklearn", extra="sparseaug[sklearn]")

from sparseaug.sklearn.estimators import OneShotClassifier, OneShotRegressor
from sparseaug.sklearn.resampler import OneShotResampler
from sparseaug.sklearn.scoring import moved_folds, moved_scorer

__all__ = [
    "OneShotClassifier",
    "OneShotRegressor",
    "OneShotResampler",
    "moved_folds",
    "moved_scorer",
]
