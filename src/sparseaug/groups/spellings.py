"""What a misspelt name of a group was meant to be: s6, SO(3) and C8XC8 are S6, SO3 and C8xC8."""

from __future__ import annotations

import re
from collections.abc import Collection

_PART = re.compile(r"([A-Za-z]+)([0-9]*)((?:\^[0-9]+)?)")
_LEFT_OUT = str.maketrans("", "", "_(){}[]$ \\-")


def meant(name: str, known: Collection[str]) -> str:
    """The name with the letters of the catalogue, or "" where they are not among them.

    Args:
        name: as it was given
        known: letters of the families, or whole names such as Cube24

    Examples:
        >>> from sparseaug.groups.spellings import meant
        >>> [meant(name, ("S", "SO", "C", "Z")) for name in ("s6", "SO(3)", "c8 X C_8", "z_2^{4}", "Q8")]
        ['S6', 'SO3', 'C8xC8', 'Z2^4', '']
    """
    by_lower = {letters.lower(): letters for letters in known}
    found = []
    for text in re.split("[xX*\u00d7]", name[:200].translate(_LEFT_OUT)):
        match = _PART.fullmatch(text)
        if match is None:
            return ""
        letters, number, power = match.groups()
        whole = by_lower.get(f"{letters}{number}".lower())
        family = by_lower.get(letters.lower())
        if whole is None and (family is None or not number):
            return ""
        found.append((whole or f"{family}{number}") + power)
    return "x".join(found)
