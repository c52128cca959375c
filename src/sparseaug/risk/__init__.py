"""R_n, R_n^S and R_n^G: value and gradient.

model         the kernel model
problem       model, data, action and S: what every risk is of
kernel_risks  its risks under squared loss: from moments, by the plain sum, streaming
custom        the risk of any loss
minibatches   stochastic steps over data and a fixed S
"""

from sparseaug.risk.custom import CustomRisk, custom_risk
from sparseaug.risk.kernel_risks import (
    DirectRisk,
    MomentRisk,
    StreamingRisk,
    augmented_risk,
    streaming_risk,
)
from sparseaug.risk.minibatches import MinibatchRisk, minibatch
from sparseaug.risk.model import KernelModel

__all__ = [
    "CustomRisk",
    "DirectRisk",
    "KernelModel",
    "MinibatchRisk",
    "MomentRisk",
    "StreamingRisk",
    "augmented_risk",
    "custom_risk",
    "minibatch",
    "streaming_risk",
]
