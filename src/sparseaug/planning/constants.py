"""The constants of a problem together with how they are known: bounds, or estimates of a pilot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from sparseaug.errors import ArgumentError, check_not_negative, check_real, shorten

KINDS = ("bound", "estimate")


@final
@dataclass(frozen=True)
class Constants:
    """C, B, L and gap, for `plan(group, eps=..., constants=...)`.

    Args:
        C: bound of point evaluation
        B: bound on the mean norm of the gradient functions
        L: smoothness of the risk
        gap: initial value less the infimum
        kind: "bound", or "estimate", which the plan then says of all that rests on them

    Examples:
        >>> Constants(1.0, 2.0, 4.0, 1.0).kind
        'bound'
    """

    C: float
    B: float
    L: float
    gap: float
    kind: str = "bound"

    def __post_init__(self) -> None:
        for name in ("C", "B", "L"):
            check_real(name, getattr(self, name), above=0)
        check_not_negative("gap", self.gap)
        if not isinstance(self.kind, str) or self.kind not in KINDS:
            raise ArgumentError(f"kind={shorten(self.kind)} is not known; give one of {KINDS}.")

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return dict(vars(self))
