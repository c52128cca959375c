"""The PyTorch layer: one S for data sets, batches, predictions and risks.

datasets       OneShotDataset: all n m copies by an index map; StreamingDataset: fresh, counted elements
moved_items    the parts of an item, moved
samplers       which copies share a batch; a loader that resumes anywhere
orbit_batch    the copies of a batch, made on the device
orbit_average  predictions averaged over S, their spread, and a bound
metric         the invariance error, accumulated over batches and ranks
risk           R_n^S of any module, training on it, and an audit
graphs         graphs of PyTorch Geometric, relabelled
states         what saved states hold, and whose they are
ranks          the little that is needed of torch.distributed
checks         what modules ask of their arguments
"""

from typing import TYPE_CHECKING, Any

from sparseaug.errors import need

need("torch", "sparseaug.nn", extra="sparseaug[torch]")

from sparseaug.nn.datasets import OneShotDataset, RepeatedEpochWarning, StreamingDataset
from sparseaug.nn.orbit_average import InvarianceBound, OrbitAverage, OrbitStatistics
from sparseaug.nn.orbit_batch import OrbitBatch
from sparseaug.nn.risk.certified import audit
from sparseaug.nn.risk.fit import FitStep
from sparseaug.nn.risk.module_risk import ModuleRisk, StreamingModuleRisk
from sparseaug.nn.samplers import OrbitBatchSampler, ResumableLoader

if TYPE_CHECKING:
    from sparseaug.nn.metric import InvarianceMetric

__all__ = [
    "FitStep",
    "InvarianceBound",
    "InvarianceMetric",
    "ModuleRisk",
    "OneShotDataset",
    "OrbitAverage",
    "OrbitBatch",
    "OrbitBatchSampler",
    "OrbitStatistics",
    "RepeatedEpochWarning",
    "ResumableLoader",
    "StreamingDataset",
    "StreamingModuleRisk",
    "audit",
]


def __getattr__(name: str) -> Any:
    """The metric when it is first asked for: torchmetrics takes as long to import as torch."""
    if name != "InvarianceMetric":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sparseaug.nn.metric import InvarianceMetric

    globals()[name] = InvarianceMetric
    return InvarianceMetric


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
