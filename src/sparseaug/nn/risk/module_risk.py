"""R_n^S for any module: value and flat gradient, in chunks, on one process or many.

R_n^S(theta) = (1 / n m) sum_ij loss(f_theta(g_j x_i), y_i). Equal elements of S are moved once. A chunk
of copies is of elements that occur equally often in S, since a loss is a mean over it; it is moved, sent
through the module and differentiated alone, and weighs as many copies as it stands for. The same build,
number of threads, chunk size and number of ranks give the same bits, if the module itself does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from functools import partial
from typing import Any, Literal, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.func import functional_call

from sparseaug._checks import check_callable, check_type
from sparseaug.actions import Action, PreparedAction
from sparseaug.actions.arrays import (
    call,
    describe,
    is_sharded,
    joined,
    leaves,
    map_leaves,
    require_dense,
    require_samples,
    this_rank,
)
from sparseaug.actions.base import require_action, require_same_group
from sparseaug.descent.state import NonFiniteError
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.nn.ranks import require_same, sum_over_ranks
from sparseaug.nn.risk import certified
from sparseaug.nn.risk.tiles import runs, share, tiles
from sparseaug.nn.risk.trial import require_pure, try_risk
from sparseaug.risk.problem import Draws
from sparseaug.sampling import GroupSample
from sparseaug.sampling.distinct import distinct
from sparseaug.sampling.identity import (
    action_fingerprint,
    fingerprint,
    order_facts,
    printed,
    problem_facts,
    settings_of,
)
from sparseaug.sampling.sample import as_sample
from sparseaug.spectrum.inputs import warn_of_one_class
from sparseaug.spectrum.models import check_chunk

Loss = Callable[[Any, Any], Tensor]

CHUNK_ON_CPU = 1024
CHUNK_ON_ACCELERATOR = 1 << 15  # which wants work for all its cores


@final
class ModuleRisk:
    """The risk of `module` over all copies of the data under S.

    Args:
        module: any `nn.Module` that treats samples one by one (no batch norm or dropout in
            training); called as module(x), or with several inputs as module(*x) where x is a tuple
            and module(**x) where it is a dict
        loss: loss(prediction, target): a mean over the samples, or one number for each of them
        data: (x, y), tensors with one sample per row, on the module's device; x may be a tuple or a
            dict of tensors
        action: how the group moves x; `sparseaug.together` for several inputs
        S: a GroupSample, "full" for the whole group, or None for the data as they are
        y_action: how targets move, if they do
        chunk_size: copies that are in memory at once; by default 1024, or 32768 on an accelerator.
            It changes memory, speed and rounding, nothing else

    theta is the flat vector of all parameters that require a gradient, in the module's order. Where
    `torch.distributed` runs, each rank computes its share of the copies, and S, data and parameters
    must be the same on all ranks, which is checked here. Sums over chunks and ranks are taken in
    single precision at least.

    Examples:
        >>> import torch
        >>> from torch import nn
        >>> import sparseaug as sa
        >>> from sparseaug.nn import ModuleRisk
        >>> act = sa.permute_axis(sa.symmetric(3))
        >>> x = torch.arange(12.0).reshape(4, 3)
        >>> model = nn.Linear(3, 1, bias=False)
        >>> risk = ModuleRisk(model, nn.MSELoss(), (x, x[:, :1]), act, sa.Oracle(act.group).draw(4))
        >>> risk.gradient(risk.theta).shape, risk.calls, risk.method
        (torch.Size([3]), 4, 'one-shot')
    """

    def __init__(
        self,
        module: nn.Module,
        loss: Loss,
        data: tuple[Any, Tensor],
        action: Action,
        S: GroupSample | Literal["full"] | None,
        *,
        y_action: Action | None = None,
        chunk_size: int | None = None,
    ) -> None:
        self.module, self.loss, self.action, self.y_action = module, loss, action, y_action
        check_type("module", module, nn.Module, "an nn.Module")
        check_callable("loss", loss, "loss(prediction, target)")
        require_action(action)
        require_same_group(action, y_action, "y_action")
        trained = [p for p in module.parameters() if p.requires_grad]
        kinds = sorted({f"{p.dtype} on {p.device}" for p in trained})
        if len(kinds) != 1 or trained[0].is_complex() or any(map(is_sharded, trained)):
            raise ArgumentError(f"module trains {kinds}; use module.to(...), before fully_shard.")
        self.data = _check_data(data, action)
        self._tensors = [*leaves(self.data[0]), self.data[1]]
        usual = CHUNK_ON_CPU if self.data[1].device.type == "cpu" else CHUNK_ON_ACCELERATOR
        self.chunk_size = check_chunk(chunk_size) or usual
        require_pure(module)
        self._names = _trained(module)
        self._shapes = [module.get_parameter(name).shape for name in self._names]
        self.audits: dict[str, list[tuple[Any, ...]]] = {}  # made of it, by iterate
        self._take(S)
        try_risk(self)
        require_same(
            self._tensors[0],
            S=self._facts_of_sample(),
            data=self._tensors,
            module=(*module.parameters(), *module.buffers()),
            chunk_size=[str(self.chunk_size).encode()],
        )

    @property
    def parameters(self) -> list[nn.Parameter]:
        """The module's parameters in the order of theta."""
        return [self.module.get_parameter(name) for name in self._names]

    @property
    def theta(self) -> Tensor:
        """The module's parameters now, as one vector."""
        return torch.cat([parameter.detach().reshape(-1) for parameter in self.parameters])

    @property
    def size(self) -> int:
        """Length of theta."""
        return sum(shape.numel() for shape in self._shapes)

    def load(self, theta: Tensor) -> None:
        """Write theta into the module."""
        with torch.no_grad():
            parts = self._split(self.require_theta(theta))
            for parameter, part in zip(self.parameters, parts, strict=True):
                parameter.copy_(part)

    def value(self, theta: Tensor) -> float:
        """The risk at theta."""
        require_pure(self.module)
        with torch.no_grad():
            parameters = self._split(self.require_theta(theta))
            total = theta.new_zeros((), dtype=_sum_type(theta))
            for x, y, weight in self._chunks():
                total.add_(self._mean_loss(parameters, x, y), alpha=weight)
        return float(sum_over_ranks(total))

    def gradient(self, theta: Tensor) -> Tensor:
        """Its gradient by theta."""
        return self.value_and_gradient(theta)[1]

    def value_and_gradient(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Both, at the cost of the gradient."""
        require_pure(self.module)
        both = sum_over_ranks(self._sum(self.require_theta(theta), self._chunks()))
        return both[-1], both[:-1].to(theta.dtype)

    def require_theta(self, theta: Any) -> Tensor:
        """theta as it is, or an `ArgumentError` where it is not a vector of parameters."""
        like = self.module.get_parameter(self._names[0])
        check_type("theta", theta, Tensor, "a tensor; start from risk.theta")
        if (theta.shape, theta.dtype, theta.device) != ((self.size,), like.dtype, like.device):
            raise ArgumentError(
                f"theta is not {self.size} numbers of {like.dtype} on {like.device}; see risk.theta."
            )
        return theta

    def at_step(self, step: int) -> ModuleRisk:
        """The risk that descent follows at this step: always this one."""
        return self

    def on(self, S: GroupSample | Literal["full"] | None) -> ModuleRisk:
        """The same risk over another sample; data and module are not checked again."""
        other = copy(self)
        other._take(S)
        require_same(self._tensors[0], S=other._facts_of_sample())
        return other

    def backward(self) -> Tensor:
        """The value at the module's parameters, its gradient put into their `.grad`: for optimisers.

        Raises:
            NonFiniteError: the loss or its gradient is not finite; no `.grad` has changed then, and
                no step is made. L-BFGS, which asks again within a step, has moved the parameters.
            ArgumentError: other parameters require a gradient than when the risk was made.

        Examples:
            >>> import torch
            >>> import sparseaug as sa
            >>> from sparseaug import nn as sann
            >>> act = sa.flip_signs(sa.sign_flips(2))
            >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
            >>> _ = torch.manual_seed(0)
            >>> model = torch.nn.Linear(2, 1)
            >>> risk = sann.ModuleRisk(model, torch.nn.MSELoss(), (x, x[:, :1]), act, "full")
            >>> optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
            >>> values = [float(optimizer.step(risk.backward)) for _ in range(50)]
            >>> round(values[0], 1), round(values[-1], 1)
            (9.1, 1.0)
        """
        if _trained(self.module) != self._names:
            raise ArgumentError(
                "module trains other parameters than at first; make the risk again."
            )
        value, gradient = self.value_and_gradient(self.theta)
        if not bool(torch.isfinite(value) & torch.isfinite(gradient).all()):
            found = f"the loss is {float(value)}, or its gradient is not finite"
            raise NonFiniteError(f"{found}; lower the learning rate.")
        for parameter, part in zip(self.parameters, self._split(gradient), strict=True):
            parameter.grad = part.clone()
        return value

    def identity(self) -> dict[str, str]:
        """What it depends on, by name: how `descend(checkpoint=)` tells one run from another."""
        x, y = self.data
        S = self.sample if self.method == "one-shot" else self.method
        moves = "none" if self.y_action is None else action_fingerprint(self.y_action, y)
        return {
            "method": self.method,
            "module": self._fingerprint(),
            "loss": fingerprint(self.loss),
            **problem_facts(x, y, self.action, S),
            "y_action": moves,
            **order_facts(S),
        }

    def _fingerprint(self) -> str:
        """Of the module but for the values in theta: frozen parameters and buffers are not in it."""
        trained = {
            name: [str(p.dtype), p.shape]
            for name, p in zip(self._names, self.parameters, strict=True)
        }
        every = (*self.module.named_parameters(), *self.module.named_buffers())
        fixed = {name: part for name, part in every if name not in trained}
        return fingerprint(printed(self.module), trained, fixed, settings_of(self.module))

    exact = certified.exact  # what `certify` asks
    audited = certified.audit

    @property
    def draws(self) -> Draws:
        """(seed, start, stop) of the oracle draws behind S that are known."""
        return self.sample.origin.draws

    def _checked_theta(self, theta: Any) -> Tensor:
        """What a pilot asks: theta as it is; one process is enough for it."""
        return self.require_theta(theta).detach()

    def _element_gradients(self, theta: Tensor, rows: Rows) -> Iterator[tuple[Any, Any]]:
        """The value (1,) and gradient (1, P) of each element alone."""
        require_pure(self.module)
        warn_of_one_class(self.data[1].detach().cpu(), "data")
        alone, n = copy(self), len(self.data[1])
        for row in rows:
            alone._bind(row[None], np.ones(1, np.int64))
            mean = alone._sum(theta, alone._make_chunks(0, n))
            yield mean[None, -1].cpu().numpy(), mean[None, :-1].cpu().numpy()

    def _copies_in(self, elements: range, samples: slice | list[int]) -> tuple[Any, Tensor]:
        """The copies of some samples by some elements, and their targets."""
        x, y = (map_leaves(lambda part: part[samples], part) for part in self.data)
        which, times = slice(elements.start, elements.stop), len(elements)
        copies = joined(self._bound(x, which))
        if self._y_bound is not None:
            return copies, joined(self._y_bound(y, which))
        return copies, y.repeat(times, *[1] * (y.ndim - 1)) if times > 1 else y

    def _take(self, S: GroupSample | Literal["full"] | None) -> None:
        """Everything that depends on S."""
        if S is None:
            group = self.action.group
            self.sample, self.calls = GroupSample(group, group.identity()), 0
        else:
            self.sample = as_sample(S, self.action.distribution)
            self.calls = self.sample.calls_behind
        self.method = "none" if S is None else "full" if isinstance(S, str) else "one-shot"
        rows = self.sample.elements
        counts = np.ones(len(rows), np.int64)
        if self.method == "one-shot":
            found = distinct(rows)
            order = np.argsort(found.counts, kind="stable")  # equal counts next to each other
            rows, counts = rows[found.first[order]], found.counts[order]
        self._bind(rows, counts)

    def _bind(self, rows: Rows, counts: NDArray[np.int64]) -> None:
        """The elements that move the data, each of which stands for so many of S."""
        self._counts, self.copies = counts, len(self.data[1]) * int(counts.sum())
        self._bound, self._y_bound = PreparedAction(self.action, rows), None
        self._bound.prepared(self.data[0])
        if self.y_action is not None:
            self._y_bound = PreparedAction(self.y_action, rows)
            try:
                self._y_bound.prepared(self.data[1])
            except ArgumentError as error:
                raise ArgumentError(f"y_action does not move the targets: {error}") from error

    def _facts_of_sample(self) -> Iterator[bytes]:
        """What all ranks must share of S: the multiset in its group, and the order of its rows."""
        yield self.sample.sha256.encode()
        yield self.sample.elements.tobytes()

    def _sum(self, theta: Tensor, chunks: Iterable[tuple[Any, Tensor, float]]) -> Tensor:
        """The weighted sum over chunks of the gradient and, as its last entry, the value."""
        leaf = theta.detach().requires_grad_()
        both = leaf.new_zeros(self.size + 1, dtype=_sum_type(leaf))
        with torch.enable_grad():
            for x, y, weight in chunks:
                mean = self._mean_loss(self._split(leaf), x, y)
                both[:-1].add_(torch.autograd.grad(mean, leaf)[0], alpha=weight)
                both[-1].add_(mean.detach(), alpha=weight)
        return both

    def _mean_loss(self, parameters: list[Tensor], x: Any, y: Tensor) -> Tensor:
        loss = self.loss(call(partial(self._call_with, parameters), x), y)
        return loss if loss.ndim == 0 else loss.mean()

    def _chunks(self) -> Iterator[tuple[Any, Tensor, float]]:
        """This rank's copies, their targets and weights."""
        return self._make_chunks(*share(len(self.data[1]) * len(self._counts), *this_rank()))

    def _make_chunks(self, start: int, stop: int) -> Iterator[tuple[Any, Tensor, float]]:
        """The chunks from copy `start` to `stop` of the distinct elements."""
        n = len(self.data[1])
        for count, first, last in runs(self._counts):
            within = max(start, first * n), min(stop, last * n)
            for elements, samples in tiles(*within, n, self.chunk_size):
                some = self._copies_in(elements, slice(samples.start, samples.stop))
                yield *some, int(count) * len(elements) * len(samples) / self.copies

    def _split(self, theta: Tensor) -> list[Tensor]:
        parts = theta.split([shape.numel() for shape in self._shapes])
        return [part.view(shape) for part, shape in zip(parts, self._shapes, strict=True)]

    def _call_with(self, parameters: list[Tensor], *args: Any, **named: Any) -> Any:
        """The module of these inputs, with these parameters in every place where its own are.

        A place has one name here, also where its layer has several: functional_call, which replaces
        and restores by names, would restore the replacement.
        """
        parts = dict(zip(map(id, self.parameters), parameters, strict=True))
        places = {
            f"{prefix}.{name}" if prefix else name: parts[id(own)]
            for prefix, layer in self.module.named_modules()
            for name, own in layer._parameters.items()
            if id(own) in parts
        }
        return functional_call(self.module, places, args, named, tie_weights=False)

    def __repr__(self) -> str:
        return (
            f"ModuleRisk({type(self.module).__name__}, {self.size} parameters, "
            f"{len(self.data[1])} samples, "
            f"{self.method}, m={self.sample.m}, calls={self.calls})"
        )


def _sum_type(theta: Tensor) -> torch.dtype:
    """In half precision a sum of many small parts stops growing long before its end."""
    return torch.promote_types(theta.dtype, torch.float32)


def _trained(module: nn.Module) -> list[str]:
    """The names of the parameters that require a gradient."""
    return [name for name, part in module.named_parameters() if part.requires_grad]


def _check_data(data: Any, action: Action) -> tuple[Any, Tensor]:
    """(x, y) as they are, or an `ArgumentError` that names what does not fit."""
    if not (isinstance(data, tuple) and len(data) == 2 and all(map(torch.is_tensor, leaves(data)))):
        raise ArgumentError(f"data={shorten(data)} is not a pair of tensors; give (x, y).")
    x, y = data
    action.over(x)
    for part in leaves(data):
        require_dense("data", part)
        if not bool(torch.isfinite(part).all()):
            raise ArgumentError("data has numbers that are not finite; remove such samples.")
    if y.ndim < 1 or require_samples(x, "x of data") != len(y) or not len(y):
        raise ArgumentError(f"data is x of {describe(x)}, y of {describe(y)}; give as many.")
    return x, y
