"""Error bars of spectra from draws hold, for unfriendly functions too: short form.

All groups and functions, 200 repetitions each, are `studies/coverage.py`.
"""

from __future__ import annotations

import pytest

from studies import coverage

RUNS = 30
CELLS = {
    "C12xC12": ("strided", "parity", "zero on nine tenths"),
    "S5": ("parity", "high degree only", "a tenth"),
    "D48": ("zero on nine tenths",),
    "S14": ("parity",),
    "SO3": ("strided",),
}


# With 95 % or more, 24 or fewer of 30 have probability 3e-3 in the worst case; the seeds are fixed.
@pytest.mark.parametrize("name", CELLS)
def test_bars_hold_where_s_is_blind_and_where_most_values_are_zero(name):
    runs = RUNS if name not in ("S14", "SO3") else 5
    found = list(coverage.cells(name, runs, CELLS[name]))
    assert len(found) > 3 * len(CELLS[name])
    for cell in found:
        assert cell.held >= 0.8 * cell.runs, cell
