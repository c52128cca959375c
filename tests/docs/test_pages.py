"""The pages are shown whole.

A formula such as <u, h> is taken for a tag and vanishes: unknown tags are found, and the words of the
source are compared with those of the built page.
"""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [page for page in sorted(DOCS.glob("**/*.md")) if page.parent.name != "reference"]

TAGS = frozenset(
    re.findall(
        r"\w+",
        """a article aside b blockquote br button code dd details div dl dt em footer g h1 h2 h3 h4 h5 h6
        hr img li nav ol p path picture pre section source span strong sub summary sup svg table tbody
        td th thead tr ul""",
    )
)


def test_no_page_has_unknown_tags_or_lost_words(site):
    for page in PAGES:
        shown = read_article(built(site, page).read_text())
        assert shown.tags <= TAGS, (page, shown.tags - TAGS)
        assert lost_words(page.read_text(), shown.text) == {}, page


def built(site: Path, page: Path) -> Path:
    """The file that a page is built into."""
    path = page.relative_to(DOCS).with_suffix("")
    return site / (path.parent if path.name == "index" else path) / "index.html"


def lost_words(source: str, text: str) -> Counter[str]:
    """Words of a page's source that what is shown of it does not have, or not as often."""
    return words(visible(source)) - words(text)


def visible(source: str) -> str:
    """The source without what Markdown takes out: targets, marks, comments, formulas, front matter."""
    source = re.sub(r"\A---\n.*?\n---\n", "", source, flags=re.DOTALL)
    source = re.sub(r"<!--.*?-->", "", source, flags=re.DOTALL)
    code: list[str] = []

    def keep(found: re.Match[str]) -> str:
        code.append(found.group(1))
        return " "

    source = re.sub(r"^ *```\w*[^\n]*\n(.*?)^ *```", keep, source, flags=re.MULTILINE | re.DOTALL)
    source = re.sub(r"`([^`]+)`", keep, source)
    for taken in (
        r"\$\$[^$]+\$\$",
        r"\$[^$]+\$",
        r"!\[.*?\]\([^)]*\)",
        r"\]\([^)]*\)",
        r"\{ ?[:.\w][^}]*\}",
        r"^::: .*$",
        rf"</?(?:{'|'.join(TAGS)})\b[^>]*>",
        r"^ *[?!]{3}\+? \w+",
        r"^ *\d+\. ",
    ):
        source = re.sub(taken, " ", source, flags=re.MULTILINE)
    return " ".join([source, *code]).replace("<BLANKLINE>", "")


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\W_]{2,}", text))


class read_article(HTMLParser):  # noqa: N801
    """The tags and the text of the article of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self._inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._inside |= tag == "article"
        if self._inside:
            self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        self._inside &= tag != "article"

    def handle_data(self, data: str) -> None:
        self.text += data if self._inside else ""


def test_a_swallowed_formula_and_a_lost_word_are_found():
    shown = read_article("<article><p>the norm <u, h_1> of it</p></article>")
    assert shown.tags - TAGS == {"u,"}
    assert lost_words("the norm <u, h_10> of it", shown.text) == {"10": 1}
    source = "# A [link](page.md) and `code_here`\n\n```python\n>>> call()\n```\n"
    source += "$x_{long}$ <br> words\n$$a\nlong b$$"
    assert words(visible(source)).keys() == {"link", "and", "code", "here", "call", "words"}
