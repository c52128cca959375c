"""Code blocks run alone: the splitting is tested here, the blocks are tests of their page or module."""

from __future__ import annotations

import doctest
import re

import pytest

from tests.blocks import ROOT, block_numbers

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
