"""The PyTorch layer: one S for data sets, batches, predictions and risks.

datasets       OneShotDataset: all n m copies by an index map; StreamingDataset: fresh, counted elements
indexed        the user's data set, and the indices that are asked of it
moved_items    the items of a batch, moved
graphs         graphs of PyTorch Geometric, relabelled
samplers       which copies share a batch; a loader that resumes anywhere
orbit_batch    the copies of a batch, made on the device
orbit_average  predictions averaged over S, their spread, and a bound
risk           R_n^S of any module, training on it, and an audit
states         saved states: S among tensors, and what a state must agree in
ranks          the little that is needed of torch.distributed
"""

from sparseaug.errors import need as _need

_need("torch", "sparseaug.nn")

from sparseaug.nn.datasets import OneShotDataset, RepeatedEpochWarning, StreamingDataset
from sparseaug.nn.orbit_average import InvarianceBound, OrbitAverage, OrbitStatistics
from sparseaug.nn.orbit_batch import OrbitBatch
from sparseaug.nn.risk.certified import audit
from sparseaug.nn.risk.module_risk import ModuleRisk
from sparseaug.nn.samplers import OrbitBatchSampler, ResumableLoader

__all__ = [
    "InvarianceBound",
    "ModuleRisk",
    "OneShotDataset",
    "OrbitAverage",
    "OrbitBatch",
    "OrbitBatchSampler",
    "OrbitStatistics",
    "RepeatedEpochWarning",
    "ResumableLoader",
    "StreamingDataset",
    "audit",
]
