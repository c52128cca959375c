"""The scikit-learn layer: learners that need a fixed data set get one, drawn once.

one_shot    from parameters to an action and S
resampler   OneShotResampler: the copies of a data set
classifier  OneShotClassifier: augment inside fit, average in predict
regressor   OneShotRegressor: the same for numbers, which may move along
base        what these two share
averages    the S that predictions are averaged over, chosen for the fitted model
routing     arguments of fit on their way to the inner estimator
checks      what is asked of X, y and parameters
moved_rows  rows of arrays and of data frames, moved
"""

from sparseaug.errors import need

need("sklearn", "sparseaug.sklearn", install="scikit-learn")

from sparseaug.sklearn.averages import Average
from sparseaug.sklearn.classifier import OneShotClassifier
from sparseaug.sklearn.regressor import OneShotRegressor
from sparseaug.sklearn.resampler import OneShotResampler

__all__ = [
    "Average",
    "OneShotClassifier",
    "OneShotRegressor",
    "OneShotResampler",
]


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
