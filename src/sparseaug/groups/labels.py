"""Names that users give to their groups."""

from __future__ import annotations

import re
from typing import Any

from sparseaug.errors import ArgumentError, shorten


def check_label(label: str, data: Any = None) -> str:
    """A name for a user's group; that of another group is refused.

    `data` are the generators or matrices: those of a catalogue group may have its name.
    """
    from sparseaug.groups.catalogue import is_name_of_another  # a table of such groups

    if not isinstance(label, str) or not re.fullmatch(r"[A-Za-z0-9 ._-]{0,60}", label):
        raise ArgumentError(f"label={shorten(label)} is not a short name of letters and digits.")
    if is_name_of_another(label, data):
        raise ArgumentError(
            f"label={label!r} reads like the name of another group; choose another."
        )
    return label
