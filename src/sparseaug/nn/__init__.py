"""The PyTorch layer: one S for data sets, batches, predictions and risks.

one_shot       a data set of all n m copies, by a pure index map
samplers       batches that keep the copies of a sample together, or spread them
loader         a data loader that is saved and resumed in the middle of an epoch
streaming      a fresh, counted element for every item and epoch
orbit_batch    the copies of a batch, made on the device
orbit_average  predictions averaged over S, their spread, and a bound
invariance     how much a prediction changes under the group; metric: the same, accumulated
module_risk    R_n^S of any module: value and flat gradient; one process or many
streaming_risk the same over fresh elements at every step
fit            ordinary optimisers on either
audit          the full-group gradient from fresh elements, with an interval
adapters       the forms that torchvision, PyTorch Geometric and Lightning expect

Behind the data sets: fetching (the inner data set), moving (the parts of an item), prepared and
gather_numba (a batch at once), state (what may be loaded). Behind the risks: trial (what is checked
first), tiles (which copies where), ranks (torch.distributed).
"""

from sparseaug.errors import need

need("torch", "sparseaug.nn", extra="sparseaug[torch]")

from sparseaug.nn.adapters import OrbitTransform, RelabelNodes, SymmetryCallback
from sparseaug.nn.audit import Audit, audit
from sparseaug.nn.fit import FitStep, fit
from sparseaug.nn.invariance import assert_invariant, invariance_error
from sparseaug.nn.invariance_report import InvarianceReport
from sparseaug.nn.loader import ResumableLoader
from sparseaug.nn.metric import InvarianceError
from sparseaug.nn.module_risk import ModuleRisk
from sparseaug.nn.one_shot import OneShotDataset
from sparseaug.nn.orbit_average import InvarianceBound, OrbitAverage, OrbitStatistics
from sparseaug.nn.orbit_batch import OrbitBatch
from sparseaug.nn.samplers import OrbitBatchSampler
from sparseaug.nn.streaming import RepeatedEpochWarning, StreamingDataset
from sparseaug.nn.streaming_risk import StreamingModuleRisk

__all__ = [
    "Audit",
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
