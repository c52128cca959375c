"""HTML that escapes by construction: whatever is not `Markup` is text, and text cannot run."""

from __future__ import annotations

import html
import json
from typing import Any


class Markup(str):
    """Text that is HTML already; only `tag`, `join` and `json_block` make it from data."""

    __slots__ = ()


def tag(name: str, *children: object, **attributes: object) -> Markup:
    """An element; `class_` and `aria_label` lose the underscore, None and False are left out.

    Examples:
        >>> tag("p", "1 < 2 & ", tag("b", "bold"), class_="note")
        '<p class="note">1 &lt; 2 &amp; <b>bold</b></p>'
    """
    parts = [f"<{name}"]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        parts.append(f' {attribute}="{html.escape(str(value))}"')
    return Markup("".join(parts) + f">{join(*children)}</{name}>")


def join(*children: object) -> Markup:
    """Children side by side, each escaped unless it is `Markup`."""
    return Markup(
        "".join(
            child if isinstance(child, Markup) else html.escape(str(child)) for child in children
        )
    )


def json_block(identifier: str, data: Any) -> Markup:
    """Data for the page's script. No character in it can end the element or start another.

    Examples:
        >>> json_block("d", ["</script>"])
        '<script type="application/json" id="d">["\\\\u003c/script\\\\u003e"]</script>'
    """
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))  # ASCII: no U+2028 either
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(f'<script type="application/json" id="{html.escape(identifier)}">{text}</script>')
