"""The PyTorch layer: one S for data sets, batches, predictions and risks.

module_risk  R_n^S of any module: value, flat gradient, fit; one process or many
audit        the full-group gradient from fresh elements, with an interval
"""

from sparseaug.nn.audit import Audit, audit
from sparseaug.nn.fit import FitStep, fit
from sparseaug.nn.module_risk import ModuleRisk, StreamingModuleRisk

__all__ = ["Audit", "FitStep", "ModuleRisk", "StreamingModuleRisk", "audit", "fit"]
