"""How the pages read: their words, numbers per 100 words, and sentences with too many numbers.

Tables, code, formulas, addresses and names such as D4 are left out, and so are years. `python -m
studies.pages.words` prints all pages, those with most numbers first.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MANY = 4  # numbers in a sentence, at most


def prose(text: str) -> str:
    """A page without front matter, comments, tags, code, formulas and addresses."""
    for gone in (
        r"\A---\n.*?\n---\n",
        r"^ *```.*?^ *```",
        r"<!--.*?-->|<[^>]*>",
        r"\$\$.*?\$\$|\$[^$]*\$|`[^`]*`",
        r"\]\([^)]*\)(?:\{[^}]*\})?",
    ):
        text = re.sub(gone, " ", text, flags=re.DOTALL | re.MULTILINE)
    return text


def said(text: str) -> int:
    """Words: with letters, those of tables too."""
    return sum(bool(re.search("[A-Za-z]{2}|^[aAI]$", word)) for word in prose(text).split())


def numbers(text: str) -> list[str]:
    """The words that begin with a digit, but for years."""
    words = (word.lstrip("([*+-") for word in text.split())
    found = [word for word in words if re.match(r"\d", word)]
    return [word for word in found if not re.match(r"(18|19|20)\d\d\W*$", word)]


def sentences(text: str) -> list[str]:
    """The sentences of a page, an item of a list and a heading being one at least."""
    text = re.sub(r"!\[[^]]*\]\([^)]*\)", " ", text)
    text = re.sub(r"^ *\|.*$", "\n", prose(text), flags=re.MULTILINE)
    text = re.sub(r"^(#+ .*)$", r"\1\n", text, flags=re.MULTILINE)
    text = re.sub(r"^ *(?:[-*]|\d+\.) ", "\n\n", text, flags=re.MULTILINE)
    parts = re.split(r"\n\s*\n|(?<=[.!?])[\s\"*]+(?=\S)", text)
    return [" ".join(part.split()) for part in parts if part.strip()]


def density(text: str) -> float:
    """Numbers per 100 words outside of tables."""
    told = sentences(text)
    return 100 * sum(len(numbers(one)) for one in told) / max(sum(map(said, told)), 1)


def crowded(text: str) -> list[str]:
    """Sentences with more numbers than a reader can hold."""
    return [one for one in sentences(text) if len(numbers(one)) > MANY]


def pages() -> dict[str, str]:
    """README and the pages that are read, without the reference."""
    files = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
    found = (file for file in files if file.parent.name != "reference")
    return {str(file.relative_to(ROOT)): file.read_text() for file in found}


if __name__ == "__main__":
    rows = [(density(text), len(crowded(text)), said(text), page) for page, text in pages().items()]
    for share, many, count, page in sorted(rows, reverse=True):
        print(
            f"{share:5.1f} numbers in 100 words, {many:2} crowded sentences, {count:5} words  {page}"
        )
    print(sum(count for *_, count, page in rows if page != "README.md"), "words in docs")
