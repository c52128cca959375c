"""Time things side by side: interleaved runs, the best of each, ratios.

Machines are shared and noise only ever adds, so the best of several runs is the steadiest figure;
an absolute time proves little.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from rich import box
from rich.console import Console
from rich.table import Table


def compare(
    title: str,
    ways: Mapping[str, Callable[[], object]],
    *,
    rounds: int = 7,
    units: Mapping[str, float] | None = None,
    limit: str = "",
) -> dict[str, float]:
    """Run every way in turn, `rounds` times; print the best and ratios; return seconds.

    `units` says how many items one run of a way makes, where they differ.
    """
    times: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        way()  # warm up caches and compilers
    for _ in range(rounds):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            times[name].append((time.perf_counter() - start) / (units or {}).get(name, 1))
    best = {name: min(values) for name, values in times.items()}
    reference = next(iter(best.values()))
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for heading in ("way", "seconds", "spread", "times the first"):
        table.add_column(heading, justify="left" if heading == "way" else "right")
    for name, seconds in best.items():
        spread = max(times[name]) / seconds - 1
        table.add_row(name, f"{seconds:.3g}", f"+{spread:.0%}", f"{seconds / reference:.3g}")
    console = Console()
    console.print(table)
    if limit:
        console.print(f"  {limit}\n")
    return best
