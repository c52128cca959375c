"""The way in: one address of each kind, one way to install, numbers that were measured."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.extras import REASON

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PAGES = {page: page.read_text() for page in sorted(ROOT.glob("docs/**/*.md"))}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
URLS = PROJECT["urls"]


def one_line(text: str) -> str:
    """The words of a page, without the marks of links."""
    return " ".join(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).split())


def test_addresses_are_those_of_the_project_everywhere():
    cited = dict(
        re.findall(r"^(url|repository-code): (.*)$", (ROOT / "CITATION.cff").read_text(), re.M)
    )
    assert cited == {"url": URLS["Documentation"], "repository-code": URLS["Repository"]}
    built = dict(
        re.findall(r"^(site_url|repo_url): (.*)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    )
    assert built == {"site_url": URLS["Documentation"], "repo_url": URLS["Repository"]}
    for text in (README, *PAGES.values()):
        shown = set(re.findall(r"https://[\w./-]*sparseaug\.example[\w./-]*", text))
        assert shown <= set(URLS.values())


def test_there_is_one_way_to_install():
    way = re.search(r"```sh\n(git clone .*?)```", README, re.DOTALL)[1]
    assert f"git clone {URLS['Repository']}\n" in way
    index = PAGES[ROOT / "docs/index.md"]
    assert way in index
    for page, text in {**PAGES, "README.md": README}.items():
        for wanted in re.findall(r"pip\s+install\s+'([^']*sparseaug[^']*)'", text):
            folder, extras = re.fullmatch(r"(.*?)sparseaug\[(.*)\]", wanted).groups()
            assert folder == "./", (page, wanted)
            assert set(extras.split(",")) <= PROJECT["optional-dependencies"].keys(), page


def test_the_numbers_of_the_entrance_are_those_that_were_measured():
    pytest.importorskip("matplotlib", reason=REASON.format("matplotlib"))
    from studies.heroes.claims import claims
    from studies.heroes.page import FILE, PAGE, renewed

    found = json.loads(FILE.read_text())
    for text in (README, PAGES[ROOT / "docs/index.md"]):
        for claim in (one for texts in claims(found).values() for one in texts):
            assert claim in one_line(text), claim
    assert renewed(PAGE.read_text(), found) == PAGE.read_text(), "python -m studies.heroes.page"


def test_words_of_the_trade_are_explained_in_the_readme():
    words = "head|streaming|passe?s?|rms|certain|oracle|words|landmarks|pilot|prior|deviation"
    text = re.sub(r"```.*?```|alt=\"[^\"]*\"", "", README, flags=re.DOTALL)
    explained = {word.lower() for word in re.findall(r"\[(\w+)\]\(docs/glossary", text)}
    assert set(re.findall(rf"\b({words})\b", text)) <= explained


def test_code_comes_first():
    assert ">>> import" in "\n".join(README.splitlines()[:20])
