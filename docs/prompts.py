"""Examples as a reader wants them, made of what doctest needs.

Those with prompts are marked as such, so that `site.css` can leave prompts and answers out of what the
copy button takes: what is copied runs in a fresh Python. An empty line of an answer is an empty line.
"""


def on_page_markdown(markdown: str, **_: object) -> str:
    """The page, as mkdocs is about to read it."""
    return markdown.replace("```python\n>>>", "```pycon\n>>>").replace("\n<BLANKLINE>\n", "\n\n")
