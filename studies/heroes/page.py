"""docs/heroes.md and its pictures, from docs/data/heroes.json: `python -m studies.heroes.page`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from studies.heroes.claims import COMMANDS, at_least, claims, percent, row
from studies.heroes.pictures import INKS, PICTURES, WAYS, picture
from studies.pages.tables import DOCS

FILE = DOCS / "data" / "heroes.json"
PAGE = DOCS / "heroes.md"
NUMBER = r"\d[\d,.]*\d(?: %)?|\d"


def tables(found: dict[str, Any]) -> dict[str, str]:
    """The tables of the page by the name of their place."""
    views, store = found["pipeline"], found["pipeline"]["store"]
    said = [
        [text, f"`{COMMANDS[name]}`", ", ".join(re.findall(NUMBER, text))]
        for name, texts in claims(found).items()
        for text in texts
    ]
    spent = [
        [name, *(f"{found[name]['seconds'][kind]:.0f} s" for kind in ("processor", "wall"))]
        for name in COMMANDS
    ]
    return {
        "labels": _by_size(views, "labels", percent),
        "left": _by_size(views, "left", "{:#.2g}".format),
        "store": f"Here computing took {store['computing']:.1f} s and reading "
        f"{store['reading']:.2f} s.",
        "rotations": _rotations(found["rotations"]),
        "promise": _promise(found["promise"]),
        "claims": _table(["claim", "command", "numbers"], said),
        "seconds": _table(["", "processor time", "wall time"], spent),
    }


def _by_size(found: dict[str, Any], key: str, text: Any) -> str:
    """A row for each way, a column for each m; the least of each column, as printed, in bold."""
    sizes = sorted({one["m"] for one in found["rows"]} - {1})
    ways = [*WAYS, "own draws of each image"]
    best = {m: text(min(row(found, way, m)[key] for way in ways)) for m in sizes}
    rows = []
    for way in ways:
        values = [(m, text(row(found, way, m)[key])) for m in sizes]
        rows.append([way, *(_bold(value, value == best[m]) for m, value in values)])
    return _table(["", *(f"m = {m}" for m in sizes)], rows)


def _rotations(found: dict[str, Any]) -> str:
    """A row for each way and m, in the order of the change; the least in bold."""
    least = {key: min(one[key] for one in found["rows"]) for key in ("change", "error")}
    rows = [
        [
            one["way"],
            str(one["m"]),
            _bold(
                f"{one['change']:#.2g}" if one["change"] > 1e-9 else "0",
                one["change"] == least["change"],
            ),
            _bold(f"{one['error']:.2f}", one["error"] == least["error"]),
        ]
        for one in sorted(found["rows"], key=lambda one: -one["change"])
    ]
    return _table(["", "m", "change, kcal/mol", "error, kcal/mol"], rows)


def _promise(found: dict[str, Any]) -> str:
    drawn, random = found["drawn"], found["pipeline"]
    every, calls = f"{found['all_pairs']:,}", f"{drawn['calls']:,}"
    bound = f"at least {at_least(drawn['at_least'])}"
    plain = f"at least {at_least(found['hoeffding'])}"
    other = f"at least {at_least(random['at_least'])}"
    rows = [
        ["as they are", percent(found["upright"]), "certain", "500"],
        ["over all turns and mirror images", percent(found["over_all"]), "certain", every],
        ["over the same, from draws", percent(drawn["estimate"]), bound, calls],
        ["by Hoeffding's inequality", percent(drawn["estimate"]), plain, calls],
        [
            "the model averaged over all eight",
            percent(found["averaged_over_all"]),
            "certain",
            every,
        ],
        ["over random turns, crops, colours", percent(random["estimate"]), other, calls],
    ]
    return _table(["photographs", "accuracy", "bound", "evaluations"], rows)


def _bold(text: str, best: bool) -> str:
    return f"**{text}**" if best else text


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [[*head], *rows]
    lines.insert(1, ["---"] * len([*lines[0]]))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def renewed(page: str, found: dict[str, Any]) -> str:
    """The page with its tables made again."""
    for name, text in tables(found).items():
        place = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        found_at = place.search(page)
        if found_at is None:
            raise SystemExit(f"the page has no place for {name}.")
        before, after = page[: found_at.end(1)], page[found_at.start(2) :]
        page = f"{before}\n{text}\n\n{after}"
    return page


def write() -> None:
    """The page and the pictures, from the file."""
    found = json.loads(FILE.read_text())
    PAGE.write_text(renewed(PAGE.read_text(), found))
    for name in PICTURES:
        for suffix in INKS:
            (DOCS / f"hero-{name}{suffix}.svg").write_bytes(picture(name, found[name], suffix))


if __name__ == "__main__":
    write()
    found = json.loads(FILE.read_text())
    print(*(text for texts in claims(found).values() for text in texts), sep="\n")
