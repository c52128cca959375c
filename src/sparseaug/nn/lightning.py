"""A callback for Lightning's trainer: how good S is and how invariant the module has become.

It is a plain class with the hooks and attributes that the trainer asks a callback for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, final

from sparseaug._checks import check_integer
from sparseaug.actions import Action, Array
from sparseaug.actions.arrays import is_tensor, leaves, map_leaves, require_dense
from sparseaug.actions.base import require_action
from sparseaug.orbits.invariance import invariance_error
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import as_sample
from sparseaug.spectral import deviation


@final
class SymmetryCallback:
    """Log `deviation`, `oracle_calls` and `invariance_error` at the end of training epochs.

    Args:
        action: how the group moves x
        S: the sample that is trained on
        x: samples (n, ...), or a tuple or dict of them, to measure the module's invariance on
        every: log at the end of every so many epochs
        degree: for `sparseaug.deviation`, which is computed once, now; needed for groups that are
            too large for the whole norm

    `deviation` is the verified upper bound of S, `oracle_calls` is S.calls, `invariance_error` the
    mean over S of the root mean square change of the module's output on x.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> S = sa.Oracle(sa.symmetric(3), seed=0).draw(4)
        >>> callback = SymmetryCallback(sa.permute_axis(S.group), S, np.eye(3))
        >>> callback.state_dict()
        {}
    """

    def __init__(
        self,
        action: Action,
        S: GroupSample | Literal["full"],
        x: Array,
        *,
        every: int = 1,
        degree: int | None = None,
    ) -> None:
        require_action(action)
        S = as_sample(S, action.group)
        for part in leaves(x):
            require_dense("x", part)
        action(S.elements[:1], x)  # what does not move is refused before training begins
        degree = None if degree is None else check_integer("degree", degree, below=1 << 31)
        self.action = action
        self.S = S
        self.x = x
        self.every = check_integer("every", every, at_least=1)
        self.deviation = deviation(S, degree=degree)

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Measure and log, in every `every`-th epoch.

        Args:
            trainer: Lightning's trainer
            pl_module: the module that is trained
        """
        if (trainer.current_epoch + 1) % self.every:
            return
        x = map_leaves(lambda part: _on_device(part, pl_module.device), self.x)
        error = invariance_error(pl_module, self.action, self.S, x)
        values = {
            "deviation": self.deviation.value,
            "oracle_calls": float(self.S.calls),
            "invariance_error": error.mean,
        }
        for name, value in values.items():
            pl_module.log(name, value, sync_dist=True)

    @property
    def state_key(self) -> str:
        """The name under which the trainer would keep a state; there is none to keep."""
        return f"SymmetryCallback({self.action!r}, {self.S.sha256}, every={self.every})"

    @property
    def _legacy_state_key(self) -> type[SymmetryCallback]:
        return type(self)

    def state_dict(self) -> dict[str, Any]:
        return {}

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Every other hook of the trainer's, now or later, does nothing."""
        if name.startswith("on_") or name in ("load_state_dict", "setup", "teardown"):
            return _nothing
        raise AttributeError(f"SymmetryCallback has no attribute {name!r}")


def _on_device(part: Array, device: Any) -> Array:
    return part.to(device) if is_tensor(part) else part


def _nothing(*_: Any, **__: Any) -> None:
    """A hook that is not used."""
