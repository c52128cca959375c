"""Examples and numbers as a reader wants them, made of what doctest and Markdown need.

Examples with prompts are marked as such, so that `site.css` can leave prompts and answers out of what
the copy button takes: what is copied runs in a fresh Python. An empty line of an answer is an empty
line. A number stays on the line of its unit.
"""

import re

UNIT = r"(?<=\d) (?=%|±|s\b|meV\b|eV\b|kcal)|(?<=±) (?=\d)"
"""The blank between a number and what belongs to it."""


def on_page_markdown(markdown: str, **_: object) -> str:
    """The page, as mkdocs is about to read it."""
    parts = re.split(r"(^ *```.*?^ *```)", markdown, flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [re.sub(UNIT, "\N{NO-BREAK SPACE}", prose) for prose in parts[::2]]
    parts[1::2] = [code.replace("```python\n>>>", "```pycon\n>>>") for code in parts[1::2]]
    return "".join(parts).replace("\n<BLANKLINE>\n", "\n\n")
