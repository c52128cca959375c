"""Benchmarks over time: run them, keep the ratios with the commit, draw them.

    python -m benchmarks.history run [bench_orders ...]   adds a line per table to history.jsonl
    python -m benchmarks.history draw [history.svg]       one panel per table, a line per way

Only ratios to the first way of each table are kept: seconds of two machines, or of a busy one, cannot be
compared. The file is not committed; keep it where you run the benchmarks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
HISTORY = HERE / "history.jsonl"
Line = dict[str, Any]


def measure(names: Sequence[str]) -> None:
    """Run these benchmarks, or all; `compare` writes each table's seconds to the file it is told."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12"],  # noqa: S607
        cwd=HERE,
        capture_output=True,
        text=True,
        check=True,
    )
    stamp = {"commit": done.stdout.strip(), "date": datetime.now(UTC).isoformat(timespec="seconds")}
    raw = HISTORY.with_suffix(".raw")
    for name in names or sorted(path.stem for path in HERE.glob("bench_*.py")):
        raw.unlink(missing_ok=True)
        environment = {**os.environ, "BENCHMARK_LOG": str(raw)}
        command = [sys.executable, "-m", f"benchmarks.{name}"]
        failed = subprocess.run(command, cwd=HERE.parent, env=environment).returncode  # noqa: S603
        tables = raw.read_text().splitlines() if raw.exists() else []
        with HISTORY.open("a") as file:
            for table in map(json.loads, tables):
                ratios = relative(table["seconds"])
                line = {**stamp, "benchmark": name, "title": table["title"], "ratios": ratios}
                file.write(json.dumps(line) + "\n")
        if failed:
            print(f"{name} ended with status {failed}: a limit was missed, or it failed")
    raw.unlink(missing_ok=True)


def relative(seconds: dict[str, float]) -> dict[str, float]:
    """Every way's time, as a multiple of the first way's."""
    first = next(iter(seconds.values()))
    return {way: float(f"{value / first:.4g}") for way, value in seconds.items()}


def panels(lines: Sequence[Line]) -> Iterator[tuple[str, list[str], dict[str, list[float | None]]]]:
    """For each table its title, its commits in the order of time, and each way's ratios at them.

    The best ratio of a commit counts, as noise only ever adds.
    """
    for title in dict.fromkeys((line["benchmark"], line["title"]) for line in lines):
        own = sorted(
            (line for line in lines if (line["benchmark"], line["title"]) == title),
            key=lambda line: line["date"],
        )
        commits = list(dict.fromkeys(line["commit"] for line in own))
        ways = list(dict.fromkeys(way for line in own for way in line["ratios"]))[1:]
        at = {
            commit: [line["ratios"] for line in own if line["commit"] == commit]
            for commit in commits
        }
        yield (
            f"{title[0]}: {title[1]}",
            commits,
            {
                way: [
                    min((r[way] for r in at[commit] if way in r), default=None)
                    for commit in commits
                ]
                for way in ways
            },
        )


def draw(target: Path) -> None:
    """One panel per table: ratios, on a logarithmic axis, over commits."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    found = list(panels([json.loads(line) for line in HISTORY.read_text().splitlines()]))
    figure, axes = plt.subplots(len(found), 1, figsize=(8, 2.6 * len(found)), squeeze=False)
    for axis, (title, commits, ways) in zip(axes[:, 0], found, strict=True):
        for way, ratios in ways.items():
            known = [(i, ratio) for i, ratio in enumerate(ratios) if ratio is not None]
            axis.plot(*zip(*known, strict=True), marker="o", label=way)
        axis.axhline(1, color="0.7", linewidth=1)
        axis.set_yscale("log")
        axis.set_xticks(range(len(commits)), commits, rotation=20, fontsize=7)
        axis.set_title(title, fontsize=9, loc="left")
        axis.set_ylabel("times the first", fontsize=8)
        axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.tight_layout()
    figure.savefig(target)
    print(f"{len(found)} tables in {target}")


def main(arguments: Sequence[str]) -> None:
    """Read the command."""
    if arguments[:1] == ["run"]:
        measure(arguments[1:])
    elif arguments[:1] == ["draw"] and len(arguments) <= 2:
        draw(Path(arguments[1] if len(arguments) > 1 else HERE / "history.svg"))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
