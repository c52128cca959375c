"""What a part of the study is: a list of tasks, what one task measures, and what all of them say.

A task is JSON data with every number that its result depends on, and so is a result. A summary has
findings (sentences with their measured numbers), tables and panels; those who print and draw them
know nothing of groups or rates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, final

Task = dict[str, Any]
Result = dict[str, Any]
Measured = Sequence[tuple[Task, Result]]


@final
@dataclass(frozen=True)
class Part:
    """One part of the study.

    Args:
        name: in files and on the page
        title: for people
        tasks: what is run, whole or quick
        run: what one task measures
        summarise: what the results say
        usual: whether it is run where no part is asked for
    """

    name: str
    title: str
    tasks: Callable[[bool], list[Task]]
    run: Callable[[Task], Result]
    summarise: Callable[[Measured], Summary]
    usual: bool = True


@final
@dataclass(frozen=True)
class Finding:
    """A sentence of theory, what was measured, and whether they agree (None: not decided here)."""

    text: str
    measured: str
    holds: bool | None = None


@final
@dataclass(frozen=True)
class Table:
    """Rows of cells, numbers or text, one csv file."""

    name: str
    title: str
    columns: list[str]
    rows: list[list[Any]]
    note: str = ""


@final
@dataclass(frozen=True)
class Line:
    """One line of a panel: y at each x, in one row for every seed, or in a single row."""

    label: str
    x: list[float]
    rows: list[list[float]]
    kind: str = "line"  # or "points"
    dashed: bool = False  # theory


@final
@dataclass(frozen=True)
class Panel:
    """Lines over one axis; a logarithmic axis unless it says otherwise."""

    title: str
    x_label: str
    lines: list[Line]
    log_x: bool = True
    log_y: bool = True


@final
@dataclass(frozen=True)
class Summary:
    """What a part found."""

    findings: list[Finding] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    panels: list[Panel] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Summary:
        """What `to_dict` turned into JSON data."""
        panels = [
            Panel(**{**each, "lines": [Line(**line) for line in each["lines"]]})
            for each in data["panels"]
        ]
        return cls(
            [Finding(**each) for each in data["findings"]],
            [Table(**each) for each in data["tables"]],
            panels,
        )


def select(measured: Measured, **wanted: Any) -> Iterable[tuple[Task, Result]]:
    """The tasks with these entries."""
    for task, result in measured:
        if all(task.get(name) == value for name, value in wanted.items()):
            yield task, result
