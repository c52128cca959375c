"""What a source gives: a group and how it moves arrays, ready for an `Oracle`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sparseaug.actions import Action
from sparseaug.groups import Group


@dataclass(frozen=True, repr=False)
class Symmetry:
    """A group found in data, and its action on arrays (n, ...) that belong to the data.

    Args:
        group: the group that was found
        action: how it moves arrays (n, ...) that belong to the data
    """

    group: Group
    action: Action

    def to_dict(self) -> dict[str, Any]:
        """The group as JSON data, its order in hexadecimal."""
        return {"group": self.group.to_dict(), "order": hex(self.group.order)}

    def __repr__(self) -> str:
        # without the order, which may take long to compute
        return f"{type(self).__name__}({self.group.name})"
