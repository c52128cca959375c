"""The invariance error of a model as a metric: fed batch by batch, summed over ranks.

For element j it keeps the sum over samples of the mean square of model(g_j x) - model(x) over the
outputs; so the value over all batches is what `invariance_error` gives for all samples at once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy, map_leaves
from sparseaug.actions.base import require_action, require_same_group
from sparseaug.errors import ArgumentError
from sparseaug.nn.checks import require_batch, require_output
from sparseaug.nn.orbit_batch import OrbitBatch, require_loadable
from sparseaug.nn.ranks import require_same, sum_over_ranks
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import as_sample
from sparseaug.spectrum.models import call_model, check_chunk, require_model, usual_chunk

if TYPE_CHECKING:
    from torch.nn import Module as Metric
else:
    try:
        from torchmetrics import Metric
    except Exception:  # not installed, or for another torch: then it is a module like any other
        from torch.nn import Module as Metric


class InvarianceMetric(Metric):
    """Mean over S of the root mean square of model(g x) - model(x), over all samples seen.

    Args:
        model: maps (B, ...) to (B, ...), as for `invariance_error`; called as it is, in the mode it
            is in, and neither moved nor saved with the metric, so it may be the module that holds the
            metric. For labels (outputs not in floating point) the error is the fraction that changes
        action: how x moves; `sparseaug.together` for several inputs
        S: by which elements
        output_action: for outputs that move along: then model(g x) - g model(x)
        chunk_size: how many moved copies go through the model at once; by default 1024, or B if
            more

    `update(x)` takes a batch, `compute()` gives a scalar tensor (over all ranks in a distributed run,
    where every rank must call it, with the same S), `reset()` starts again, as loading a state dict
    does, and calling the metric gives the batch's own value while it accumulates. The sums stay in
    double precision whatever `.to` says. Where torchmetrics is installed this is a
    `torchmetrics.Metric`: it works in a `MetricCollection`, with its operators, and in Lightning's
    `self.log(name, metric)`; a clone measures the same model.

    Examples:
        >>> import sparseaug as sa, torch
        >>> from sparseaug.nn import InvarianceMetric
        >>> S = sa.GroupSample(sa.cyclic(2), [[0], [1]])
        >>> metric = InvarianceMetric(lambda x: x[:, 0], sa.permute_axis(S.group), S)
        >>> metric.update(torch.tensor([[1.0, 3.0]]))
        >>> float(metric.compute())
        1.0
    """

    is_differentiable = False
    higher_is_better = False
    full_state_update = False

    sums: Tensor  # over samples: the squares for each element; ones; ones for those with labels
    _defaults: dict[str, Tensor]  # torchmetrics'
    _update_count: int

    def __init__(
        self,
        model: Callable[..., Tensor],
        action: Action,
        S: GroupSample | Literal["full"],
        *,
        output_action: Action | None = None,
        chunk_size: int | None = None,
    ) -> None:
        super().__init__()
        require_action(action)
        S = as_sample(S, action.group)
        require_model(model)
        self._model = _Model(model)
        self.orbit = OrbitBatch(action, S)
        require_same_group(action, output_action, "output_action")
        self.along = None if output_action is None else OrbitBatch(output_action, S)
        self.chunk_size = check_chunk(chunk_size)
        # not buffers: DistributedDataParallel would put the sums of rank 0 in the place of all others
        self._state("sums", torch.zeros(S.m + 2, dtype=torch.float64))
        # a collection takes metrics with equal states for one metric, as those of two models are while
        # both errors are zero; a state by another name tells them apart
        self._state(f"of_{id(self)}", torch.zeros((), dtype=torch.int64))
        self.register_load_state_dict_post_hook(_start_again)  # type: ignore[no-untyped-call]

    def update(self, x: Any) -> None:
        """Take a batch into the sums."""
        self.sums += self._measure(x)

    def compute(self) -> Tensor:
        """The error over all samples seen, by all ranks."""
        if _IS_METRIC:  # torchmetrics has the sums of all ranks by now
            return _error(self.sums)
        require_same(self.sums, S=[self.orbit.elements])
        return _error(sum_over_ranks(self.sums.clone()))

    def reset(self) -> None:
        """Forget all samples."""
        if _IS_METRIC:
            super().reset()  # type: ignore[misc]
        else:
            self.sums.zero_()

    def forward(self, x: Any) -> Tensor:
        """Take a batch into the sums, and return its own error, that of this rank."""
        measured = self._measure(x)
        value = _error(measured)
        self.sums += measured
        if _IS_METRIC:  # what its own `forward` notes; that one loses all sums where x is refused
            self._update_count += 1
            self._computed, self._forward_cache = None, value
        return value

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """As torch has it, but a state that does not fit is an `ArgumentError` and changes nothing."""
        rows = require_loadable(self, state_dict, strict=strict)
        if self.along is not None:
            now = self.orbit.elements, self.along.elements
            x, y = (
                rows.get(name, old) for name, old in zip(("orbit.", "along."), now, strict=True)
            )
            if not np.array_equal(as_numpy(x), as_numpy(y)):
                raise ArgumentError(
                    "state_dict has one S for x and another for the outputs; one element moves both: "
                    "give what state_dict returned."
                )
        return super().load_state_dict(state_dict, strict, assign)

    def _state(self, name: str, zero: Tensor) -> None:
        """A sum over samples, from zero."""
        if _IS_METRIC:
            self.add_state(name, zero, dist_reduce_fx="sum")  # type: ignore[operator]
        else:
            setattr(self, name, zero)

    def _sync_dist(self, *args: Any, **options: Any) -> None:
        """As torchmetrics has it, after a check that sums over one S are added."""
        require_same(self.sums, S=[self.orbit.elements])
        super()._sync_dist(*args, **options)  # type: ignore[misc]

    def _wrap_compute(self, compute: Callable[..., Any]) -> Callable[..., Any]:
        """As torchmetrics has it, without its warning that there is no sample: here that is an error."""
        wrapped = super()._wrap_compute(compute)  # type: ignore[misc]

        def quiet() -> Any:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "The ``compute`` method", UserWarning)
                return wrapped()

        return quiet

    @torch.no_grad()
    def _measure(self, x: Any) -> Tensor:
        """What a batch adds to the sums."""
        batch = require_batch(self.orbit.action, x)
        # what does not move is refused before the model sees it
        self.orbit(map_leaves(lambda part: part[:1], x), [0])
        model = self._model.call
        base = require_output(call_model(model, x), batch)
        equal = self.orbit._equal()
        first = range(self.orbit.m) if equal is None else equal.first.tolist()
        size = max(1, usual_chunk(self.chunk_size, batch) // batch)
        found = torch.cat(
            [
                self._squares(model, x, base, first[start : start + size])
                for start in range(0, len(first), size)
            ]
        )
        squares = found if equal is None else found[equal.number]
        return torch.cat([squares, squares.new_tensor([batch, batch * _are_labels(base)])])

    def _squares(self, model: Any, x: Any, base: Tensor, which: Sequence[int]) -> Tensor:
        """For the elements `which`, the sum over samples of the mean square over the outputs."""
        elements = len(which)
        moved = require_output(call_model(model, self.orbit(x, which)), elements * len(base))
        if moved.shape[1:] != base.shape[1:]:
            raise ArgumentError(
                f"model returned {tuple(base.shape[1:])} a sample at first and "
                f"{tuple(moved.shape[1:])} for moved samples; return one shape."
            )
        expected = base[None].expand(elements, *base.shape)
        if self.along is not None:
            expected = self.along(base, which).reshape(expected.shape)
        shape = (*expected.shape[:2], -1)
        moved, expected = moved.reshape(shape), expected.reshape(shape)
        if _are_labels(base):
            return (moved != expected).any(2).sum(1).double()
        difference = moved.to(torch.promote_types(moved.dtype, torch.float64)) - expected
        return difference.abs().square().mean(2).sum(1)

    def _apply(self, fn: Any, *rest: Any) -> InvarianceMetric:
        """As torch has it; the sums keep their precision and move only."""
        sums = self.sums
        super()._apply(fn, *rest)  # type: ignore[no-untyped-call]
        self._take(sums.to(self.orbit.elements.device))
        return self

    def _take(self, sums: Tensor) -> None:
        self.sums = sums
        if _IS_METRIC:
            self._defaults["sums"] = torch.zeros_like(sums)


_IS_METRIC = not TYPE_CHECKING and Metric is not nn.Module


class _Model:
    """The model, hidden from torch, or it would become a part of the metric.

    A copy of the metric measures the same model; a copy of a module that holds both, its own.
    """

    def __init__(self, call: Callable[..., Any]) -> None:
        self.call = call

    def __deepcopy__(self, memo: dict[int, Any]) -> _Model:
        return _Model(memo.get(id(self.call), self.call))


def _start_again(metric: InvarianceMetric, _: Any) -> None:
    """After loading, which may bring another S: sums over the old one say nothing of it."""
    metric._take(metric.sums.new_zeros(metric.orbit.m + 2))
    metric.reset()


def _error(sums: Tensor) -> Tensor:
    """The mean over elements of the root of the mean square; of the fraction, for labels."""
    count, labels = sums[-2:].tolist()
    if not count:
        raise ArgumentError("the metric has seen no samples; call update(x) first.")
    if labels not in (0, count):
        raise ArgumentError("model returned labels for some batches and numbers for others.")
    means = sums[:-2] / count
    return (means if labels else means.sqrt()).mean()


def _are_labels(y: Tensor) -> bool:
    return not (y.is_floating_point() or y.is_complex())
