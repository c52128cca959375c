"""Code blocks run alone: the splitting is tested here, the blocks are tests of their page or module."""

from __future__ import annotations

import doctest
import re

import pytest

from tests.blocks import ABOUT, ROOT, Checker, block_numbers

PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]

TEXT = """
```python
>>> a = 1

>>> a
1

```
Words.

```python
>>> b = 2
```
"""


def numbers(text: str, *, page: bool) -> list[int]:
    found = doctest.DocTestParser().get_doctest(text, {}, "text", "text", 0)
    return list(block_numbers(found, page=page).values())


def test_a_block_of_a_page_ends_at_its_fence_and_one_of_a_docstring_at_an_empty_line():
    assert numbers(TEXT, page=True) == [1, 1, 2]
    assert numbers(TEXT.replace("```python\n", "").replace("```", ""), page=False) == [1, 2, 3]
    assert (
        numbers(">>> a = 1\n>>> a\n1\n>>> a + (\n...     1)\n2\n>>> b = 2", page=False) == [0] * 4
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_python_block_of_a_page_has_prompts_so_that_it_is_run(page):
    blocks = re.findall(r"^ *```py\w*\n(.*?)^ *```", page.read_text(), re.MULTILINE | re.DOTALL)
    plain = [block for block in blocks if not block.lstrip().startswith(">>> ")]
    assert [block for block in plain if "inspect_ai" not in block] == []  # needs Python 3.12


def test_a_block_of_measurements_is_compared_by_its_words_and_about_by_its_numbers():
    check, want = Checker().check_output, "8 views: 18% of labels, error 0.06\n"
    assert check(want, "8 views: 15% of labels, error 0.08\n", ABOUT)
    for other in ("8 views: 12%", "8 views: 18% of names, error 0.06", "8 views: 18% of labels"):
        assert not check(want, other + "\n", ABOUT)
    assert not check(want, "8 views: 17% of labels, error 0.06\n", 0)
