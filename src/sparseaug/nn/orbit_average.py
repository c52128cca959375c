"""Predictions averaged over S, and how far from invariant the average can still be.

With phi(h) = f(h x), the averaged model is f_S(h x) = (Pi_S phi)(h), so that
f_S(h x) - mean_G f(x) = (D_S phi)(h): its root mean square over h in G is at most the deviation of S
times the standard deviation of f over the orbit of x. Outputs that move are first moved back,
phi(h) = h^-1 f(h x), and the same holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor, nn

from sparseaug._archive import fields_as_json
from sparseaug._checks import check_real, check_type
from sparseaug._floats import text_down, text_up, up
from sparseaug._tables import Shown
from sparseaug.actions import Action
from sparseaug.actions.arrays import describe, leaves, map_leaves, require_dense
from sparseaug.actions.base import KINDS, LAWS, require_action, require_same_group
from sparseaug.designs import Choice, choose
from sparseaug.errors import ArgumentError, shorten
from sparseaug.nn.orbit_batch import OrbitBatch
from sparseaug.norms import Deviation
from sparseaug.norms import deviation as compute_deviation
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import as_sample
from sparseaug.spectrum import orbit_spectrum
from sparseaug.spectrum.models import (
    call_model,
    check_chunk,
    choose_output,
    require_inputs,
    require_model,
    usual_chunk,
)


@dataclass(frozen=True)
class InvarianceBound(Shown):
    """What is known of the averaged model before it has seen any x.

    Attributes:
        value: the root mean square over h in G of |f_S(h x) - mean_G f(x)| is at most this, for
            every x and every entry of the output (arithmetic without rounding)
        deviation: of S: the factor, and the kind of knowledge that the bound inherits
        output_range: where the outputs of the model lie, moved back if they move
        condition: what the bound rests on besides, where the law of the action is not proved; empty
            for actions that move entries and signs
    """

    value: float
    deviation: Deviation
    output_range: tuple[float, float]
    condition: str = ""

    @property
    def kind(self) -> str:
        """ "rigorous", "with probability 1 - ..." or "estimate", as the deviation is."""
        return self.deviation.kind

    def to_dict(self) -> dict[str, Any]:
        """All fields and the kind, as JSON data."""
        return {**fields_as_json(self), "kind": self.kind}

    def __str__(self) -> str:
        low, high = text_up(self.output_range[0]), text_down(self.output_range[1])
        return (
            f"within {text_up(self.value)} of the mean over the group, in root mean square over an "
            f"orbit ({self.kind}), for outputs in [{low}, {high}]"
            + (f", if {self.condition}" if self.condition else "")
        )


class OrbitStatistics(NamedTuple):
    """The outputs over S, for every sample and entry of the output."""

    mean: Any  # of several outputs a tuple or dict, as the model returns them
    std: Any  # with m - 1: times the deviation of S it estimates the invariance error that is left


class OrbitAverage(nn.Module):
    """A model averaged over S at test time: mean over j of model(g_j x).

    Args:
        model: maps (B, ...) to (B, ...), in floating point: logits or values, not labels; called as
            model(x), model(*x) where x is a tuple, model(**x) where it is a dict. Several outputs in a
            tuple or dict are averaged one by one
        action: how x moves; `sparseaug.together` for several inputs
        S: by which elements; "full" for all of the group; "choose" for the cheapest known ones for this
            model, by its spectrum on x and the error: `choice` says what was found
        output_action: for outputs that move with x: mean over j of g_j^-1 model(g_j x);
            `sparseaug.together` for several
        chunk_size: how many moved copies go through the model at once; by default 1024, or B if
            more, and all B m in compiled and exported code, where the batch size may stay open
        x: for S="choose", samples to measure the model on, or a loader of them, as
            `sparseaug.orbit_spectrum` takes them
        error: for S="choose", how far the average may be from that over the group, a root mean
            square in the units of the outputs, as `sparseaug.choose` takes it

    Attributes:
        choice: the `Choice` of S="choose"; None for a given S, also one of a loaded state

    Examples:
        >>> import sparseaug as sa, torch
        >>> from sparseaug.nn import OrbitAverage
        >>> S = sa.Oracle(sa.symmetric(5), seed=0).draw(32)
        >>> average = OrbitAverage(lambda x: x[:, :1].tanh(), sa.permute_axis(S.group), S)
        >>> average(torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0]])).shape
        torch.Size([1, 1])
        >>> print(average.invariance_bound(output_range=(-1, 1)))
        within 0.329387 of the mean over the group, in root mean square over an orbit (rigorous), for
        outputs in [-1, 1]
        >>> x = torch.linspace(-1, 1, 28).reshape(4, 7)
        >>> act = sa.permute_axis(sa.symmetric(7))
        >>> average = OrbitAverage(lambda x: x[:, :1] * x[:, 1:2], act, "choose", x=x, error=0.001)
        >>> average.orbit.m, round(average.choice.prediction.rms, 6)
        (21, 0.0)
    """

    def __init__(
        self,
        model: Callable[..., Tensor],
        action: Action,
        S: GroupSample | Literal["full", "choose"],
        output_action: Action | None = None,
        *,
        chunk_size: int | None = None,
        x: Any = None,
        error: float | None = None,
    ) -> None:
        super().__init__()
        require_action(action)
        require_model(model)
        require_same_group(action, output_action, "output_action")
        self.choice: Choice | None = None
        choosing = isinstance(S, str) and S == "choose"
        if choosing and x is not None and error is not None:
            spectrum = orbit_spectrum(
                model, action, x, output_action=output_action, chunk_size=chunk_size
            )
            self.choice = choose(spectrum, error=error)
        elif choosing or x is not None or error is not None:
            raise ArgumentError('x and error go with S="choose"; give all three, or none.')
        S = as_sample(S if self.choice is None else self.choice.sample, action.distribution)
        self.model = model
        self.chunk_size = check_chunk(chunk_size)
        self.orbit = OrbitBatch(action, S)
        self.back = None if output_action is None else _inverse_orbit(output_action, S)
        self.register_load_state_dict_post_hook(_follow)  # type: ignore[no-untyped-call]
        self._known: tuple[str, Deviation] | None = None

    @property
    def deviation(self) -> Deviation:
        """The deviation of S: computed now and kept as long as S stays the same."""
        S = self.orbit.sample
        if self._known is None or self._known[0] != S.sha256:
            self._known = S.sha256, compute_deviation(S)
        return self._known[1]

    def forward(self, x: Any) -> Any:
        """The mean outputs (B, ...), in the form in which the model returns them."""
        return _join([self._mean(part) for part in self._pieces(x)], 0)

    def statistics(self, x: Any) -> OrbitStatistics:
        """Mean and standard deviation of the outputs over S, for every sample."""
        if self.orbit.m < 2:
            raise ArgumentError("S has m=1 element, so no standard deviation; draw at least two.")
        outputs = _join([self._outputs(part) for part in self._pieces(x)], 1)
        mean = map_leaves(lambda part: part.mean(0), outputs)
        std = map_leaves(lambda part: part.std(0, correction=1), outputs)
        return OrbitStatistics(mean, std)

    def invariance_bound(self, *, output_range: tuple[float, float]) -> InvarianceBound:
        """What the averaged model's invariance error is at most, for outputs in [low, high].

        A standard deviation is at most half the range. The law of an action by matrices or by a user's
        function cannot be proved for every x: then the bound names it as its `condition`.
        """
        check_type("output_range", output_range, (tuple, list), "a pair (low, high)")
        ends = [check_real("output_range", end) for end in output_range]
        if len(ends) != 2 or ends[0] > ends[1]:
            raise ArgumentError(f"output_range={shorten(ends)} must be (low, high), low <= high.")
        low, high = ends
        # both roundings go up: a bound stays one
        half = up(high - low) / 2
        value = up(self.deviation.value * half)
        moved = [self.orbit.action, *([] if self.back is None else [self.back.action])]
        loosest = max([action.kind for action in moved], key=KINDS.index)
        return InvarianceBound(value, self.deviation, (low, high), LAWS[loosest])

    def _mean(self, x: Any) -> Any:
        """The mean over S of weighted means: a sum of m outputs may be too large for half precision."""
        parts = [
            map_leaves(partial(self._weigh, start=start), block) for block, start in self._blocks(x)
        ]
        return map_leaves(lambda *some: torch.stack(some).sum(0), *parts)

    def _pieces(self, x: Any) -> list[Any]:
        """The batch in pieces of which at least one copy of each sample fits into a chunk."""
        size = require_inputs(self.orbit.action, x)
        step = size if self._whole() else usual_chunk(self.chunk_size, size)
        if step >= size:
            return [x]
        starts = range(0, size, step)
        return [map_leaves(lambda part, k=k: part[k : k + step], x) for k in starts]

    def _whole(self) -> bool:
        """Whether a batch goes through at once: a number of chunks would fix the batch size."""
        return self.chunk_size is None and torch.compiler.is_compiling()

    def _weigh(self, block: Tensor, start: int) -> Tensor:
        """What the outputs of the distinct elements from `start` on add to the mean over S."""
        equal = self.orbit._equal()
        if equal is None:
            return block.mean(0) * (len(block) / self.orbit.m)
        # in half precision weights are rough
        wide = torch.promote_types(block.dtype, torch.float32)
        weights = equal.counts[start : start + len(block)].to(wide) / self.orbit.m
        return torch.tensordot(weights, block.to(wide), dims=1).to(block.dtype)

    def _outputs(self, x: Any) -> Any:
        """The outputs (m, B, ...) of all elements; equal ones are computed once."""
        outputs = _join([block for block, _ in self._blocks(x)], 0)
        equal = self.orbit._equal()
        if equal is None:
            return outputs
        return map_leaves(lambda part: part.index_select(0, equal.number), outputs)

    def _blocks(self, x: Any) -> Iterator[tuple[Any, int]]:
        """Outputs (k, B, ...) of k distinct elements at a time, moved back, and where they begin."""
        equal, batch = self.orbit._equal(), leaves(x)[0].shape[0]  # len would fix it in an export
        m = self.orbit.m if equal is None else len(equal.first)
        size = m if self._whole() else max(1, usual_chunk(self.chunk_size, batch) // batch)
        for start in range(0, m, size):
            which: Any = slice(start, start + size) if size < m else None
            if equal is not None:
                which = equal.first[start : start + size]
            copies = self.orbit(x, which)
            y = call_model(self.model, copies)
            _require_outputs(y, leaves(copies)[0].shape[0])
            outputs = map_leaves(lambda part: part.unflatten(0, (-1, batch)), y)
            outputs = outputs if self.back is None else self.back._move_each(outputs, which)
            yield outputs, start


def _require_outputs(y: Any, count: int) -> None:
    """Raise an `ArgumentError` unless these are floating-point tensors, each with so many rows."""
    for part in leaves(y) or [y]:
        rows = part.shape[:1] == (count,) if isinstance(part, Tensor) else False
        if not rows or not (part.is_floating_point() or part.is_complex()):
            given = describe(part) if isinstance(part, Tensor) else f"a {type(part).__name__}"
            raise ArgumentError(
                f"model returned {given}; return logits ({count}, ...){choose_output(y)}."
            )
        require_dense("the output of model", part, values=False)


def _join(pieces: list[Any], axis: int) -> Any:
    """Outputs, leaf by leaf, one after another along an axis."""
    if len(pieces) == 1:
        return pieces[0]
    return map_leaves(lambda *some: torch.cat(some, axis), *pieces)


def _follow(average: OrbitAverage, _: Any) -> None:
    """After loading, which may bring another S: outputs are moved back by its inverses."""
    if average.choice is not None and average.choice.sample != average.orbit.sample:
        average.choice = None
    if average.back is not None:
        back = _inverse_orbit(average.back.action, average.orbit.sample)
        average.back = back.to(average.orbit.elements.device)


def _inverse_orbit(action: Action, S: GroupSample) -> OrbitBatch:
    """The elements g_j^-1, which move outputs back."""
    return OrbitBatch(action, GroupSample(S.group, S.group.inverse(S.elements)))
