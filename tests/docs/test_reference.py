"""The built reference: every public name is there, nothing else, and each page can be read.

The checker reads the HTML that a user sees, so that a docstring which the builder does not parse
(arguments in one paragraph, doctests as quotations) is found; it is fed broken pages too.
"""

from __future__ import annotations

import importlib
import inspect
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

for package in ("mkdocs", "torch", "sklearn"):  # the builder, and packages that are documented
    pytest.importorskip(package)

ROOT = Path(__file__).parents[2]
# of the packages below all names are documented; of these, what their verbs take and return
ALSO = {
    "sparseaug.actions": ("Action",),
    "sparseaug.certificate": (
        *("BoundedLoss", "Certificate", "Certificates", "Consistency", "Evidence"),
        *("OneShot", "RiskCertificate"),
        *("audit_consistency", "read_answers", "write_pairs"),
    ),
    "sparseaug.descent": ("Box", "Checkpoint", "NonFiniteError", "Run", "Trace"),
    "sparseaug.groups": (
        *("Distribution", "Group", "Irrep", "Rotations", "cube_rotations", "cube_symmetries"),
        *("distribution_from_dict", "mathieu", "rubik"),
    ),
    "sparseaug.spectrum": (
        *("InvarianceReport", "InvarianceTest"),
        *("OneSidedSpectrum", "PoolSpectrum", "Prediction", "Spectrum"),
    ),
    "sparseaug.risk": (
        *("CustomRisk", "DirectRisk", "MinibatchRisk", "MomentRisk"),
        *("StreamingRisk", "minibatch", "streaming_risk"),
    ),
    "sparseaug.sampling": ("Origin",),
    "sparseaug.norms": ("Deviation", "Drawn", "LongRunWarning", "Profile"),
}
PACKAGES = (
    "designs",
    "errors",
    "kernels",
    "nn",
    "plans",
    "qmc",
    "sklearn",
    "sources",
    "testing",
    "theory",
    "views",
)


def test_the_reference_has_every_public_name_with_its_parameters_and_nothing_else(site):
    pages = sorted((site / "reference").glob("*/index.html"))
    entries = [entry for page in pages for entry in read_page(page.read_text())]
    assert complaints(entries, public_names()) == []
    deviation = (site / "reference" / "norms" / "index.html").read_text()
    assert 'href="../sampling/#sparseaug.GroupSample"' in deviation  # types link to their entries
    assert "Source code in" in deviation


def public_names() -> dict[str, Any]:
    """Every name of the public packages, under the shortest path by which users reach it."""
    names: dict[str, Any] = {}
    whole = dict.fromkeys((f"sparseaug.{package}" for package in PACKAGES), None)
    lists = {"sparseaug": None} | ALSO | whole
    for package, listed in lists.items():
        module = importlib.import_module(package)
        for name in listed or module.__all__:
            found = getattr(module, name)
            if not inspect.ismodule(found) and all(found is not other for other in names.values()):
                names[f"{module.__name__}.{name}"] = found
    return names


@dataclass
class Entry:
    """What a page shows of one object."""

    path: str
    level: int
    lists: dict[str, list[str]] = field(default_factory=dict)  # title: names that begin an item
    quoted: bool = False  # a doctest that is not in a code block
    doctests: int = 0  # code blocks with a doctest
    signature: bool = False


def complaints(entries: list[Entry], names: dict[str, Any]) -> list[str]:
    """Everything that is wrong with the reference, one line each."""
    found = []
    shown = {entry.path: entry for entry in entries}
    if len(shown) < len(entries):
        found.append("a name is shown twice")
    found += [f"{path} is not in the reference" for path in names if path not in shown]
    for path, entry in shown.items():
        owner, _, member = path.rpartition(".")
        if path in names:
            thing = names[path]
        elif inspect.isclass(names.get(owner)):
            thing = _method(names[owner], member)
        else:
            found.append(f"{path} is in the reference and is not public")
            continue
        found += [f"{path}: {what}" for what in _unreadable(thing, entry)]
    return found


def _method(owner: type, name: str) -> Any:
    """The method, where it needs a list: a base class documents it once, and so does one sentence."""
    thing = inspect.getattr_static(owner, name, None)
    thing = getattr(thing, "__func__", thing)  # of a classmethod
    inherited = any(hasattr(base, name) for base in owner.__mro__[1:])
    return None if inherited or len(parameters(thing)) < 2 else thing


def _unreadable(thing: Any, entry: Entry) -> list[str]:
    found = []
    if entry.quoted:
        found.append("a doctest is not a code block")
    if ">>>" in (getattr(thing, "__doc__", None) or "") and not entry.doctests:
        found.append("its examples are not shown")
    wanted = parameters(thing)
    if not wanted:
        return found
    if not entry.signature:
        found.append("no signature")
    listed = entry.lists.get("Parameters:", entry.lists.get("Attributes:", []))
    missing = [name for name in wanted if name not in listed]
    if missing:
        found.append(f"not in the list of parameters: {', '.join(missing)}")
    return found


def parameters(thing: Any) -> list[str]:
    """The names a caller may give; none for errors and for what is not called."""
    if inspect.isclass(thing):
        maker = next(base for base in thing.__mro__ if "__init__" in vars(base))
        if inspect.isabstract(thing) or not maker.__module__.startswith("sparseaug"):
            return []  # errors, and classes with the constructor of another library
        given = list(inspect.signature(thing).parameters.values())
    elif inspect.isfunction(thing):
        given = list(inspect.signature(thing).parameters.values())
        if given and given[0].name in ("self", "cls"):
            given = given[1:]
    else:
        return []
    return [one.name for one in given if not one.name.startswith("_")]


def read_page(html: str) -> list[Entry]:
    reader = _Reader()
    reader.feed(html)
    return reader.entries


class _Reader(HTMLParser):
    """Entries in order: what follows a heading, up to the next one, belongs to it."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: list[Entry] = []
        self._title = ""
        self._in_title = self._in_name = self._hidden = False
        self._pre = 0
        self._block = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        kinds = given.get("class", "").split()
        if re.fullmatch("h[1-6]", tag) and "doc-heading" in kinds:
            self.entries.append(Entry(given["id"], int(tag[1])))
            self._title = ""
        elif "doc-signature" in kinds and self.entries:
            self.entries[-1].signature = True
        elif "doc-section-title" in kinds:
            self._in_title, self._title = True, ""
        elif tag == "details":
            self._hidden = True  # the source
        elif tag == "pre":
            self._pre, self._block = self._pre + 1, ""
        elif tag == "b":
            self._in_name = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "span":
            self._in_title = False
        elif tag == "b":
            self._in_name = False
        elif tag == "details":
            self._hidden = False
        elif tag == "pre":
            self._pre -= 1
            if self.entries and not self._hidden and ">>>" in self._block:
                self.entries[-1].doctests += 1

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self._title += data
        elif not self.entries or self._hidden:
            return
        elif self._pre:
            self._block += data
        elif ">>>" in data:
            self.entries[-1].quoted = True
        elif self._in_name and data.strip():
            self.entries[-1].lists.setdefault(self._title, []).append(data.strip().lstrip("*"))


GOOD = """
<h2 id="sparseaug.f" class="doc doc-heading">f</h2>
<div class="doc-signature highlight"><pre><code>f(m, delta)</code></pre></div>
<p><span class="doc-section-title">Parameters:</span></p>
<ul><li><b><code>m</code></b> (<code>int</code>) - so many</li>
<li><b><code>delta</code></b> (<code>float</code>) - how often</li></ul>
<pre><code><span>&gt;&gt;&gt; </span>f(1, 2)</code></pre>
"""


def f(m: int, delta: float) -> int:
    """Nothing.

    >>> f(1, 2)
    1
    """
    return m


def test_the_checker_passes_a_good_page_and_says_what_is_wrong_with_others():
    names = {"sparseaug.f": f}
    assert complaints(read_page(GOOD), names) == []
    for broken, wrong in (
        ("", "sparseaug.f is not in the reference"),
        (GOOD + GOOD, "a name is shown twice"),
        (GOOD + GOOD.replace("sparseaug.f", "sparseaug.g"), "sparseaug.g is in the reference and"),
        (GOOD.replace("<code>delta</code>", ""), "not in the list of parameters: delta"),
        (GOOD.replace("Parameters:", "Returns:"), "not in the list of parameters: m, delta"),
        (GOOD.replace("doc-signature", ""), "no signature"),
        (re.sub("<pre><code><span>(.*)</code></pre>", r"<p>\1</p>", GOOD), "not a code block"),
        (GOOD.replace("&gt;&gt;&gt;", ""), "its examples are not shown"),
    ):
        assert any(wrong in line for line in complaints(read_page(broken), names)), wrong


def test_the_documentation_imports_public_names_only():
    """What a page tells users to import is in the reference."""
    public = set(public_names()) | {f"sparseaug.{package}" for package in PACKAGES}
    for page in (*ROOT.glob("docs/**/*.md"), ROOT / "README.md"):
        for package, names in re.findall(
            r"from (sparseaug[\w.]*) import ([\w, ]+)", page.read_text()
        ):
            for name in names.split(","):
                path = f"{package}.{name.split(' as ')[0].strip()}"
                last = path.rpartition(".")[2]  # the same object may be listed under another path
                assert any(one.endswith(f".{last}") for one in public), f"{page.name}: {path}"
