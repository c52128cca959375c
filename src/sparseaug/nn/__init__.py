"""The PyTorch layer: one S for data sets, batches, predictions and risks.

data      data sets of copies, samplers, a loader that resumes anywhere
models    the copies of a batch; predictions averaged over S; a metric
risk      R_n^S of any module, training on it, and an audit
adapters  the forms that torchvision, PyTorch Geometric and Lightning expect
checks    what modules ask of their arguments
"""

from typing import TYPE_CHECKING, Any

from sparseaug.errors import need

need("torch", "sparseaug.nn", extra="sparseaug[torch]")

from sparseaug.nn.adapters import OrbitTransform, RelabelNodes, SymmetryCallback
from sparseaug.nn.adapters.by_content import RepeatedEpochWarning
from sparseaug.nn.data.one_shot import OneShotDataset
from sparseaug.nn.data.samplers import OrbitBatchSampler, ResumableLoader
from sparseaug.nn.data.streaming import StreamingDataset
from sparseaug.nn.models.orbit_average import InvarianceBound, OrbitAverage, OrbitStatistics
from sparseaug.nn.models.orbit_batch import OrbitBatch
from sparseaug.nn.risk.certified import audit
from sparseaug.nn.risk.fit import FitStep, fit
from sparseaug.nn.risk.module_risk import ModuleRisk
from sparseaug.nn.risk.streaming_risk import StreamingModuleRisk
from sparseaug.orbits.invariance import InvarianceReport, assert_invariant, invariance_error

if TYPE_CHECKING:
    from sparseaug.nn.models.metric import InvarianceError

__all__ = [
    "FitStep",
    "InvarianceBound",
    "InvarianceError",
    "InvarianceReport",
    "ModuleRisk",
    "OneShotDataset",
    "OrbitAverage",
    "OrbitBatch",
    "OrbitBatchSampler",
    "OrbitStatistics",
    "OrbitTransform",
    "RelabelNodes",
    "RepeatedEpochWarning",
    "ResumableLoader",
    "StreamingDataset",
    "StreamingModuleRisk",
    "SymmetryCallback",
    "assert_invariant",
    "audit",
    "fit",
    "invariance_error",
]


def __getattr__(name: str) -> Any:
    """The metric when it is first asked for: torchmetrics takes as long to import as torch."""
    if name != "InvarianceError":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sparseaug.nn.models.metric import InvarianceError

    globals()[name] = InvarianceError
    return InvarianceError


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
