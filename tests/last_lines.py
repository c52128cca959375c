"""The last lines of a run of the suite: whether the browser tests ran, and what was not installed."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NO_CHROMIUM = "chromium is not installed; make browser installs it and runs this test"
MISSING = re.compile(
    r"needs (\S+), which is not installed|could not import '([\w.]+)'|No module named '([\w.]+)'"
)


def in_browser(test: Any) -> Any:
    """A test that needs Chromium: counted in the last lines, skipped where it is not installed."""
    return pytest.mark.browser(pytest.mark.skipif(CHROMIUM is None, reason=NO_CHROMIUM)(test))


def last_lines(reports: dict[str, list[Any]]) -> list[str]:
    """The lines, from what pytest counted: the reports of each outcome."""
    return [*_browser(reports), *_missing(reports.get("skipped", []))]


def _browser(reports: dict[str, list[Any]]) -> list[str]:
    counts, reasons = Counter[str](), Counter[str]()
    for outcome in ("passed", "failed", "error", "skipped"):
        mine = [r for r in reports.get(outcome, []) if "browser" in getattr(r, "keywords", {})]
        counts[outcome] = len(mine)
        if outcome == "skipped":
            reasons.update(_reason(report) for report in mine)
    ran = [f"{counts[name]} {name}" for name in ("passed", "failed", "error") if counts[name]]
    said = [f"browser tests: {', '.join(ran)}"] if ran else []
    for reason, count in reasons.items():
        if NO_CHROMIUM in reason:
            reason = "Chromium is not installed; make browser installs it and runs them"
        said.append(f"browser tests: {count} did not run: {reason}")
    return said


def _missing(skipped: list[Any]) -> list[str]:
    found = Counter[str]()
    for report in skipped:
        package = MISSING.search(_reason(report))
        if package:
            found[next(filter(None, package.groups())).split(".")[0]] += 1
    return [f"not installed: {name}, {count} skipped" for name, count in sorted(found.items())]


def _reason(report: Any) -> str:
    where = report.longrepr  # (file, line, reason), for modules and tests alike
    return str(where[2] if isinstance(where, tuple) else where).removeprefix("Skipped: ")
