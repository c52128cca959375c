"""What a part of the study is: a list of tasks, what one task measures, and what all of them say.

A task is JSON data with every number that its result depends on, and so is a result. A summary has
findings (sentences with their measured numbers), tables and panels; those who print and draw them
know nothing of groups or rates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any, TypeVar, final, get_origin, get_type_hints

from sparseaug._io import is_name
from sparseaug.errors import shorten
from studies.paper.checks import expect, numbers_of

Task = dict[str, Any]
Result = dict[str, Any]
Measured = Sequence[tuple[Task, Result]]
T = TypeVar("T")


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
    def from_dict(cls, data: Any) -> Summary:
        """What `to_dict` turned into JSON data.

        Raises:
            FileFormatError: Something is missing, of the wrong type or shape, or not finite; or the
                name of a table could not be that of a file.
        """
        given = _made(cls, data)
        return cls(
            [_made(Finding, each) for each in given.findings],
            [_table(each) for each in given.tables],
            [_panel(each) for each in given.panels],
        )


def _table(entry: Any) -> Table:
    found = _made(Table, entry)
    expect(is_name(found.name), f"{shorten(found.name)} is not the name of a table")
    columns = bool(found.columns) and all(isinstance(each, str) for each in found.columns)
    expect(columns, f"the columns of {found.name} are not names")
    for row in found.rows:
        fits = isinstance(row, list) and len(row) == len(found.columns)
        fits = fits and all(isinstance(cell, str | int | float | None) for cell in row)
        expect(fits, f"a row of {found.name} is not one cell for each column")
    return found


def _panel(entry: Any) -> Panel:
    found = _made(Panel, entry)
    lines = [_made(Line, each) for each in found.lines]
    for line in lines:
        where = f"{shorten(line.label)} of {shorten(found.title)}"
        x, rows = numbers_of(vars(line), "x", where), numbers_of(vars(line), "rows", where)
        fits = x.ndim == 1 and rows.ndim == 2 and rows.shape[1] == len(x)
        expect(fits, f"{where} does not have one number for each x in every row")
        expect(not found.log_x or bool((x > 0).all()), f"x in {where} is not positive")
        expect(line.kind in ("line", "points"), f"{where} is neither a line nor points")
    return Panel(**{**vars(found), "lines": lines})


def _made(kind: type[T], entry: Any) -> T:
    """The object whose fields are in the entry, each of its type; what a list holds is not looked at."""
    name = kind.__name__.lower()
    expect(isinstance(entry, Mapping), f"{shorten(entry)} is not a {name}")
    known = fields(kind)  # type: ignore[arg-type]
    needed = {f.name for f in known if f.default is MISSING and f.default_factory is MISSING}
    complete = needed <= set(entry) <= {each.name for each in known}
    expect(complete, f"{shorten(list(entry))} are not the fields of a {name}")
    for key, hint in get_type_hints(kind).items():
        expected = list if get_origin(hint) is list else hint
        fits = key not in entry or isinstance(entry[key], expected)
        expect(fits, f"{key} of a {name} is {shorten(entry.get(key))}")
    return kind(**entry)


def select(measured: Measured, **wanted: Any) -> Iterable[tuple[Task, Result]]:
    """The tasks with these entries."""
    for task, result in measured:
        if all(task.get(name) == value for name, value in wanted.items()):
            yield task, result
