"""The tutorial as a notebook, made from the page: its text, its blocks, the output that it shows.

    python -m studies.pages.notebook docs/tutorial.md docs/tutorial.ipynb

Its links lead to the site, as a notebook is taken elsewhere. Nothing is run: the tests run the page, and
compare this with it.
"""

from __future__ import annotations

import doctest
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def notebook(page: str) -> str:
    """The notebook of a page, as JSON."""
    page = re.sub(r"\A---\n.*?\n---\n", "", page, flags=re.DOTALL)  # for the site alone
    page = re.sub(r"; the same steps are in\s\[a notebook\]\([^)]*\)", "", page)
    site = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["urls"]["Documentation"]
    page = re.sub(r"\]\(index\.md(#[^)]*)?\)", rf"]({site}\1)", page)
    page = re.sub(r"\]\(([\w/]+)\.md(#[^)]*)?\)", rf"]({site}\1/\2)", page)
    parts = re.split(r"^```python\n(.*?)^```\n", page, flags=re.MULTILINE | re.DOTALL)
    cells = [
        _code(part, number) if number % 2 else _text(part, number)
        for number, part in enumerate(parts)
        if part.strip()
    ]
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    whole = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1) + "\n"


def _text(part: str, number: int) -> dict[str, Any]:
    source = part.strip().splitlines(keepends=True)
    return {"cell_type": "markdown", "id": f"text-{number}", "metadata": {}, "source": source}


def _code(part: str, number: int) -> dict[str, Any]:
    """A cell; what the page shows below its last line is the cell's output."""
    examples = doctest.DocTestParser().get_examples(part)
    source = "".join(example.source for example in examples).strip()
    shown = "".join(example.want for example in examples).splitlines(keepends=True)
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"code-{number}",
        "metadata": {},
        "outputs": [{"name": "stdout", "output_type": "stream", "text": shown}],
        "source": source.splitlines(keepends=True),
    }


if __name__ == "__main__":
    page, out = map(Path, sys.argv[1:])
    out.write_text(notebook(page.read_text("utf-8")), encoding="utf-8")
