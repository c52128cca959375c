"""What a risk is of: a kernel model under squared loss, data, an action, and what is averaged over.

The factorised kernel model f(x) = sum_r a_r b_r k(x, z_r), theta = (a, b); section Experiments.

What a risk depends on, by name and hash: how a checkpoint or a certificate tells another problem.

An identity is a dict of short texts. Data count by their entries, S by its sha256, and where bits count
by the order of its rows too, in which sums are made. An action counts by its group and by what it does:
some fixed elements move some of the samples, and the result is hashed. So a user's own function is known
by its effect there, and not elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, final

import numpy as np

from sparseaug._archive import canonical_json
from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.kernels import GaussianKernel
from sparseaug.kernels.arrays import Floats, check_action, check_samples, check_vector, freeze, move
from sparseaug.sampling import GroupSample, keyed_rng

Draws = tuple[tuple[int, int, int], ...]

_FEATURES = 1 << 17  # kernel values of one block, which stay in a core's cache
_SOME = 16  # elements, and samples, by which an action is recognised


@dataclass(frozen=True, eq=False, repr=False)
class KernelProblem:
    """The base of the risks of a kernel model, and of the evidence for certificates.

    Attributes:
        model: the kernel model
        data: (x, y): samples (n, ...) like the centres, and one target for each
        action: how the group moves a sample
        S: a GroupSample, None for the data as they are, "full" for the whole group, or
            "streaming" for fresh elements at every step
    """

    model: KernelModel
    data: tuple[Any, Any]
    action: Action
    S: GroupSample | Literal["full", "streaming"] | None

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.method}, {len(self.y)} samples, {len(self.model.centers)} "
            f"centres, group {self.action.group.name}, {shorten(self.calls)} oracle calls)"
        )

    @property
    def x(self) -> Floats:
        """The inputs."""
        return self.data[0]

    @property
    def y(self) -> Floats:
        """The targets."""
        return self.data[1]

    @property
    def method(self) -> str:
        """Which of "none", "full", "streaming" and "one-shot" it is."""
        if self.S is None:
            return "none"
        return self.S if isinstance(self.S, str) else "one-shot"

    @property
    def calls(self) -> int:
        """Oracle calls behind S: m for m draws (of the letters, for words), 0 for the full group."""
        return self.S.calls_behind if isinstance(self.S, GroupSample) else 0

    @cached_property
    def draws(self) -> Draws:
        """(seed, start, stop) of the oracle draws behind it that are known."""
        return self.S.origin.draws if isinstance(self.S, GroupSample) else ()

    @cached_property
    def audits(self) -> dict[str, list[tuple[Any, ...]]]:
        """The audits made of it, by iterate: those of one iterate share the delta of one."""
        return {}

    def _checked_theta(self, theta: Any) -> Floats:
        """What a pilot asks: theta as a vector of the model's parameters."""
        return check_vector("theta", theta, self.model.size)

    def _element_gradients(self, theta: Floats, rows: Rows) -> Iterator[tuple[Floats, Floats]]:
        """And values (k,) and gradients (k, 2 R) of single elements, in blocks that fit memory."""
        x, y, model = self.x, self.y, self.model
        a, b = theta.reshape(2, -1)
        step = max(1, _FEATURES // (len(x) * len(model.centers)))
        for start in range(0, len(rows), step):
            moved = move(self.action, rows[start : start + step], x)
            k = len(moved)
            features = model.kernel._gram(moved.reshape(-1, *moved.shape[2:]), model.centers)
            with np.errstate(over="ignore", invalid="ignore"):  # of a theta that diverged
                residuals = (features @ (a * b)).reshape(k, len(x)) - y
                g = (residuals[:, None] @ features.reshape(k, len(x), -1))[:, 0] / len(x)
                both = np.concatenate([b * g, a * g], axis=1)
                values = 0.5 * np.mean(residuals**2, axis=1)
            yield values, both

    def identity(self) -> dict[str, str]:
        """What its gradients depend on to the last bit, by name and hash."""
        return {**self._facts(), "risk": type(self).__name__, **order_facts(self.S)}

    def _facts(self) -> dict[str, str]:
        """What it is of, by name and hash; equal for risks that differ by rounding only."""
        S = self.S if isinstance(self.S, GroupSample) else self.method
        return {
            "method": self.method,
            "kernel": repr(self.model.kernel),
            "centers": sha256_of(self.model.centers),
            **problem_facts(*self.data, self.action, S),
        }


@final
@dataclass(frozen=True, eq=False)
class KernelModel:
    """f(x) = sum_r a_r b_r k(x, z_r) with fixed centres z_r; theta is a followed by b.

    Args:
        kernel: the kernel k
        centers: the centres z_r, (R, ...), each of the shape of a sample

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), np.zeros((1, 2)))
        >>> model.predict(np.array([2.0, 3.0]), np.zeros((1, 2)))
        array([6.])
    """

    kernel: GaussianKernel
    centers: Floats

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, GaussianKernel):
            raise ArgumentError(f"kernel={shorten(self.kernel)} is not a GaussianKernel.")
        object.__setattr__(self, "centers", freeze(check_samples("centers", self.centers)))

    @property
    def size(self) -> int:
        """Length of theta, two numbers for each centre."""
        return 2 * len(self.centers)

    def features(self, x: Any) -> Floats:
        """phi_r(x) = k(x, z_r), shape (n, R)."""
        return self.kernel._gram(check_samples("x", x, like=self.centers), self.centers)

    def coefficients(self, theta: Any) -> Floats:
        """c_r = a_r b_r."""
        a, b = self.split(theta)
        return a * b

    def predict(self, theta: Any, x: Any) -> Floats:
        """f(x) for each sample.

        Args:
            theta: the 2R parameters, a followed by b
            x: samples (n, ...)
        """
        return np.asarray(self.features(x) @ self.coefficients(theta))

    def split(self, theta: Any) -> tuple[Floats, Floats]:
        """a and b."""
        theta = check_vector("theta", theta, self.size)
        return theta[: len(self.centers)], theta[len(self.centers) :]


def chain(theta: Floats, by_coefficients: Floats) -> Floats:
    """(b g, a g) for theta = (a, b) and g, which are not checked."""
    R, by_theta = len(by_coefficients), np.empty(2 * len(by_coefficients))
    np.multiply(theta[R:], by_coefficients, by_theta[:R])
    np.multiply(theta[:R], by_coefficients, by_theta[R:])
    return by_theta


def check_problem(
    model: Any,
    data: Any,
    action: Any,
    S: Any,
    *,
    words: tuple[str | None, ...] = (None, "full", "streaming"),
) -> tuple[Floats, Floats]:
    """Copies of the data that cannot change, or an `ArgumentError` for any of the four.

    `words` is what S may be but for a sample.
    """
    if not isinstance(model, KernelModel):
        raise ArgumentError(f"model={shorten(model)} is not a KernelModel.")
    if not isinstance(data, tuple) or len(data) != 2:
        raise ArgumentError(f"data={shorten(data)} is not a pair; give (x, y).")
    x = check_samples("data[0]", data[0], like=model.centers)
    y = check_vector("data[1]", data[1], len(x))
    check_action(action)
    if isinstance(S, GroupSample):
        action.rows(S)  # S must be of the action's group
    elif not (S is None or isinstance(S, str)) or S not in words:
        names = ", ".join(map(repr, words))
        raise ArgumentError(f"S={shorten(S)} is not allowed; give a GroupSample, or {names}.")
    return freeze(x), freeze(y)


def sha256_of(*parts: Any) -> str:
    """SHA-256 of arrays (or tuples and dicts of them) with their types and shapes, and of texts."""
    digest = hashlib.sha256()
    for part in _leaves(parts):
        if isinstance(part, str):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(f"text {len(data)}\n".encode() + data)
        else:
            array = np.ascontiguousarray(as_numpy(part)).reshape(-1)
            digest.update(f"{part.dtype} {tuple(part.shape)}\n".encode())
            plain = array.astype(array.dtype.newbyteorder("<"), copy=False)
            digest.update(plain.view(np.uint8).data)
    return digest.hexdigest()


def problem_facts(x: Any, y: Any, action: Action, S: GroupSample | str) -> dict[str, str]:
    """Inputs, targets, action and S, which may also be a word such as "full"."""
    return {
        "S": S.sha256 if isinstance(S, GroupSample) else S,
        "inputs": sha256_of(x),
        "targets": sha256_of(y),
        "action": action_sha256(action, x),
    }


def order_facts(S: Any) -> dict[str, str]:
    """The order of the rows of a sample, which decides the last bits of sums over it."""
    return {"order of S": sha256_of(S.elements)} if isinstance(S, GroupSample) else {}


def action_sha256(action: Action, x: Any) -> str:
    """SHA-256 of the group and of what some elements do to some of the samples."""
    group = action.group
    rows = group.sample(_SOME, keyed_rng(0, "identity of an action"))
    return sha256_of(canonical_json(group.to_dict()).decode(), action(rows, _some(x)))


def _some(x: Any) -> Any:
    """A few samples, from all over the data."""
    if isinstance(x, tuple):
        return tuple(map(_some, x))
    if isinstance(x, Mapping):
        return {name: _some(part) for name, part in x.items()}
    return x[:: max(1, len(x) // _SOME)][:_SOME]


def _leaves(parts: Any) -> Iterator[Any]:
    if isinstance(parts, tuple | list):
        for part in parts:
            yield from _leaves(part)
    elif isinstance(parts, Mapping):
        for name in sorted(parts):
            yield from (name, *_leaves(parts[name]))
    else:
        yield parts
