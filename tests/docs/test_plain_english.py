"""What users read is plain technical English: pages, docstrings, error texts, help texts.

A list of phrases that readers who are not native speakers stumble over, with what to write instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

INSTEAD = {
    r"\bdear(er|est)?\b": "expensive",
    r"\banew\b": "again",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"(?<!there )\bis no (?!longer|more|less|larger|smaller|greater|other)": "is not a",
    r"\bare no (?=Moments|[a-z]+s;)": "are not",
    r"\bha(s|ve) not (one|the|an?)\b": "does not have",
    r"\brooms?\b": "package, or memory",
    r"\bgone through\b|\bgoing through\b|through whole\b": "enumerate",
    r"\bsay(s)? why\b": "give the reason",
    r"\b(one|two|three|fresh) (?!in )\w+ an? (element|step|row|file|sample|call|copy)\b": "per",
    r"\bwill do\b(?! \w)": "is enough, works",
    r"\bfor ever\b": "from then on",
    r"\bin silence\b": "silently",
    r"\bgo(es)? on\b": "continue, resume",
    r"\b(is|are) there already\b": "exists already",
    r"\btold apart\b": "distinguish",
    r"\bone's own\b": "your own, a user's",
    r"\b(lest|naught|whence|thereof|whereof|betimes)\b": "ordinary words",
}
PATTERN = re.compile("|".join(f"({pattern})" for pattern in INSTEAD), re.IGNORECASE)


def phrases(text: str) -> list[str]:
    """The phrases to replace, wherever lines break."""
    return [found.group() for found in PATTERN.finditer(" ".join(text.split()))]


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of every docstring and message; an f-string is one text."""
    inside = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            parts = [part for part in node.values if isinstance(part, ast.Constant)]
            inside |= set(map(id, parts))
            yield node.lineno, " ... ".join(str(part.value) for part in parts)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in inside
        ):
            yield node.lineno, node.value


def test_pages_are_in_plain_english():
    pages = [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    found = [f"{page.relative_to(ROOT)}: {phrases(page.read_text())}" for page in pages]
    assert [line for line in found if not line.endswith("[]")] == []


def test_docstrings_and_messages_are_in_plain_english():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {phrases(text)}"
        for path in sorted(ROOT.glob("src/**/*.py"))
        for line, text in strings(path.read_text())
        if phrases(text)
    ]
    assert found == []


def test_the_check_finds_each_phrase_and_leaves_ordinary_english_alone():
    for bad in (
        "averaging is too dear",
        "start anew",
        "mend the file",
        "seed='x' is no seed",
        "the room needs torch",
        "a group that can be gone\nthrough",
        "an error that says why",
        "one row an element",
        "any callable will do.",
        "the run goes on",
        "the file is there already",
    ):
        assert len(phrases(bad)) == 1, bad
    for good in ("there is no delta", "it is no longer sparse", "one row per element", "it fails"):
        assert phrases(good) == []
    source = 'def f(x):\n    """Draw anew."""\n    raise E(f"x={x} is no seed")  # is no comment\n'
    assert [phrases(text) for _, text in strings(source)] == [["anew"], ["is no "]]
