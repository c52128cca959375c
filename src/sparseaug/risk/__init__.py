"""R_n, R_n^S and R_n^G: value and gradient.

problem       the kernel model; model, data, action and S: what every risk is of, and its identity
kernel_risks  its risks under squared loss: from moments, by the plain sum, streaming
"""

from sparseaug.risk.kernel_risks import (
    DirectRisk,
    MomentRisk,
    StreamingRisk,
    augmented_risk,
    streaming_risk,
)
from sparseaug.risk.problem import KernelModel

__all__ = [
    "DirectRisk",
    "KernelModel",
    "MomentRisk",
    "StreamingRisk",
    "augmented_risk",
    "streaming_risk",
]
