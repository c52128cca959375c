"""The tasks of "How many views?": a new one is one file and one line here."""

from __future__ import annotations

from studies.views import atoms, columns, digits, graphs, photographs, water
from studies.views.case import Case

CASES: tuple[Case, ...] = (
    digits.CASE,
    photographs.CASE,
    atoms.CASE,
    graphs.CASE,
    columns.CASE,
    water.CASE,
)
