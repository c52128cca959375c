"""R_n, R_n^S and R_n^G: value and gradient.

problem  model, data, action and S: what every risk is of
moments  its risk under squared loss from (A, v, s): each step costs R^2, whatever n |S| is
direct   the same by the plain sum over data and transformations; streaming
elements value and gradient of one element at a time
"""

from sparseaug.risk.direct import DirectRisk, StreamingRisk, direct_risk, streaming_risk
from sparseaug.risk.moments import MomentRisk, augmented_risk
from sparseaug.risk.problem import KernelModel

__all__ = [
    "DirectRisk",
    "KernelModel",
    "MomentRisk",
    "StreamingRisk",
    "augmented_risk",
    "direct_risk",
    "streaming_risk",
]
