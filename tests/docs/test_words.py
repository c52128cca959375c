"""How the pages read: few words, few numbers, three sentences and a picture at the head of a result."""

from __future__ import annotations

import re

import pytest

from studies.pages.words import MANY, ROOT, crowded, density, numbers, pages, said, sentences

PAGES = pages()


def test_what_a_reader_must_read_is_short():
    assert said(PAGES["README.md"]) <= 600
    assert sum(said(text) for page, text in PAGES.items() if page != "README.md") < 22_000
    assert said("One *word*, [two](a.md) `code` 3.1 $x$\n```\nthree\n```\n") == 3


@pytest.mark.parametrize("page", PAGES)
def test_numbers_stand_in_tables_and_few_of_them_in_sentences(page):
    assert crowded(PAGES[page]) == []
    assert density(PAGES[page]) <= 7


def test_numbers_are_counted_in_sentences_without_code_tables_names_and_years():
    text = "# A 1\nOf D4 `2` in 2008\n3 or -4 %. Five\n\n- is 6!\n\n| 7 | 8 |\n\n![of 9](a.png)\n"
    assert sentences(text) == ["# A 1", "Of D4 in 2008 3 or -4 %.", "Five", "is 6!"]
    assert [len(numbers(one)) for one in sentences(text)] == [1, 2, 0, 1]
    assert crowded(" ".join(map(str, range(MANY)))) == []
    assert crowded(" ".join(map(str, range(MANY + 1)))) != []


def test_a_result_begins_with_three_sentences_and_a_picture():
    results = re.search(
        r"^  - Results:\n((?:      - .*\n)+)", (ROOT / "mkdocs.yml").read_text(), re.M
    )
    for page in re.findall(r"\S+\.md", results[1]):
        text = re.sub(r"\A---\n.*?\n---\n", "", PAGES[f"docs/{page}"], flags=re.DOTALL)
        first = re.fullmatch(r"# [^\n]*\n\n((?:(?!\n\n).)*)\n\n!\[.*", text, re.DOTALL)
        assert first, page
        assert len(sentences(first[1])) == 3, (page, sentences(first[1]))
        assert len(numbers(first[1])) <= 3, page
