"""The built site in a real browser: at 1280 and 390 pixels, light and dark, on every page.

Nothing sticks out sideways (at 1280 pixels no code, table or formula either), every picture has a text
in its place, formulas are typeset, every word of the source is shown, and text can be read against
what is behind it (contrast 4.5, or 3 for large letters: WCAG 2.1, 1.4.3). What the copy button takes
of the examples is code without prompts.
"""

from __future__ import annotations

import functools
import json
import re
import subprocess
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.browser import CHROMIUM, in_browser
from tests.docs.test_pages import PAGES, built, lost_words

SECONDS = 300
FEW = (".", "tutorial", "ideas", "certificates", "howto/torch_data", "reference/nn")  # by default

HARNESS = r"""<!doctype html><title>harness</title><iframe id="frame" height="844"></iframe><script>
const pages = PAGES, frame = document.getElementById("frame"), found = [], copied = {}, texts = {};
const channels = (text) => (text.match(/[\d.]+/g) || []).map(Number);
const over = (top, below) => { const a = top.length > 3 ? top[3] : 1;
  return [0, 1, 2].map((i) => a * top[i] + (1 - a) * below[i]); };
const luminance = (rgb) => { const [r, g, b] = rgb.map((c) => { c /= 255;
  return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const behind = (element, view) => { if (!element) return [255, 255, 255];
  const colour = channels(view.getComputedStyle(element).backgroundColor);
  const through = colour.length > 3 && colour[3] < 1;
  return through ? over(colour, behind(element.parentElement, view)) : colour; };
const readable = (element, view) => { const style = view.getComputedStyle(element);
  const back = behind(element, view), front = over(channels(style.color), back);
  const [light, dark] = [luminance(front), luminance(back)].sort((a, b) => b - a);
  const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
  return (light + 0.05) / (dark + 0.05) >= (size >= 24 || (bold && size >= 18.66) ? 3 : 4.5) - 0.005; };
const copy = (page, code) => { code.setAttribute("data-md-copying", "");
  copied[page] = (copied[page] || "") + code.innerText + "\n";  // as the copy button does
  code.removeAttribute("data-md-copying"); };
const look = (page, width) => { const view = frame.contentWindow, doc = frame.contentDocument;
  doc.head.insertAdjacentHTML("beforeend", "<style>* { transition: none !important }</style>");
  if (doc.documentElement.scrollWidth > view.innerWidth) found.push([page, width, "sticks out"]);
  for (const image of doc.querySelectorAll("article img"))
    if (!image.alt.trim() || !image.naturalWidth) found.push([page, width, "picture " + image.src]);
  for (const formula of doc.querySelectorAll(".arithmatex"))
    if (!formula.querySelector(".katex")) found.push([page, width, "formula " + formula.textContent]);
  for (const folded of doc.querySelectorAll("article details")) folded.open = true;
  texts[page + width] = doc.querySelector("article").innerText;
  if (width === 1280)
    for (const wide of doc.querySelectorAll(
        "article pre > code, article .md-typeset__scrollwrap, article div.arithmatex"))
      if (wide.scrollWidth > wide.clientWidth + 1)
        found.push([page, width, "does not fit: " + wide.innerText.slice(0, 60)]);
  if (width === 1280)
    for (const code of doc.querySelectorAll("article pre > code"))
      if (code.querySelector(".gp")) copy(page, code);
  for (const scheme of ["default", "slate"]) {
    doc.body.setAttribute("data-md-color-scheme", scheme);
    const seen = new Set();  // one element of each kind
    for (const element of doc.querySelectorAll("article *")) {
      const kind = [element, element.parentElement, element.parentElement.parentElement]
        .map((e) => e.tagName + "." + e.className).join(" in ");
      const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
      if (!own || seen.has(kind) || element.closest(".headerlink, style, script")) continue;
      seen.add(kind);
      if (element.checkVisibility() && !readable(element, view))
        found.push([page, width, scheme + ": " + kind + " " + element.textContent.trim().slice(0, 40)]);
    } } };
(async () => {
  for (const width of [1280, 390]) { frame.width = width;
    for (const page of pages) {
      await new Promise((done) => { frame.onload = done; frame.src = page; });
      await new Promise((done) => setTimeout(done, 30));
      look(page, width);
    } }
  const answer = {looked: pages.length, found, copied, texts};
  await fetch("/found", {method: "POST", body: JSON.stringify(answer)});
})();
</script>"""


class Site(SimpleHTTPRequestHandler):
    """The files of the site, the page that looks at them, and what it found."""

    answer: ClassVar[dict[str, Any]] = {}
    answered = threading.Event()

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        type(self).answer = json.loads(self.rfile.read(length))
        self.send_response(204)
        self.end_headers()
        self.answered.set()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the test's output is not the place."""


@in_browser
@pytest.mark.parametrize(
    "few", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["few", "all"]
)
def test_every_page_fits_and_can_be_read_in_a_browser(
    site: Path, tmp_path: Path, few: bool
) -> None:
    pages = sorted(p.relative_to(site).parent.as_posix() for p in site.rglob("index.html"))
    assert len(pages) > 20
    pages = [page for page in pages if page in FEW] if few else pages
    Site.answered.clear()
    (site / "harness.html").write_text(
        HARNESS.replace("PAGES", json.dumps([f"/{page}/".replace("/./", "/") for page in pages]))
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Site, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
    address = f"http://127.0.0.1:{server.server_port}/harness.html"
    browser = subprocess.Popen(
        [str(CHROMIUM), *flags, f"--user-data-dir={tmp_path / 'profile'}", address],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert Site.answered.wait(SECONDS), "the browser has not answered"
    finally:
        browser.kill()
        browser.wait()
        server.shutdown()
        server.server_close()
    assert Site.answer["looked"] == len(pages) > 4
    assert not Site.answer["found"], "\n".join(map(str, Site.answer["found"]))
    copied = Site.answer["copied"]
    assert len(copied) > (2 if few else 20)
    for page, code in copied.items():
        assert not re.search(r"^\s*(>>>|\.\.\.|Traceback)", code, re.MULTILINE), (page, code)
    for page in PAGES:
        place = built(site, page).relative_to(site).parent.as_posix()
        if place not in pages:
            continue
        for width in (1280, 390):
            text = Site.answer["texts"][f"/{place}/".replace("/./", "/") + str(width)]
            assert lost_words(page.read_text(), text) == {}, (page, width)
