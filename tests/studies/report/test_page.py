import json
import re
import subprocess
from html.parser import HTMLParser
from types import SimpleNamespace

from studies.paper import claims, read_results
from studies.report.page import render_page
from tests.browser import CHROMIUM, in_browser

ATTACK = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>\"'&"


class Elements(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def page_of(folder):
    results = read_results(folder)
    return render_page(results, verdicts=claims(results))


def test_the_page_asks_for_nothing_from_anywhere(synthetic, save):
    page = page_of(save(synthetic()))
    assert "http://" not in page
    assert "https://" not in page
    assert not re.search(r"url\((?!#)|@import|\bfetch\(|XMLHttpRequest", page)
    for tag, attributes in Elements(page).found:
        assert tag not in {"link", "img", "iframe", "object", "embed"}
        assert not {"src", "href", "style"} & attributes.keys()
    assert "default-src 'none'" in page


def hostile(synthetic):
    results = synthetic()
    results[ATTACK] = results["full"]
    results["certificates"][ATTACK] = results["certificates"]["one-shot-4"]
    results["config"] |= {ATTACK: ATTACK}
    return results, {"versions": {ATTACK: ATTACK}}


def test_names_from_a_file_stay_text(synthetic, save):
    results = read_results(save(*hostile(synthetic)))
    verdict = SimpleNamespace(text=ATTACK, measured=ATTACK, holds=True)
    elements = Elements(render_page(results, verdicts=[verdict]))
    tags = [tag for tag, _ in elements.found]
    assert tags.count("script") == 2  # the data and ours
    assert "img" not in tags
    assert ATTACK in elements.text


def test_embedded_data_is_the_data(synthetic, save):
    page = page_of(save(*hostile(synthetic)))
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', page).group(1)
    assert "<" not in block
    charts = json.loads(block)
    assert len(charts) == 5 + 4 + 1
    assert {s["group"] for s in charts[0]["series"]} >= {"none", "one-shot-64", ATTACK}


def test_bounds_below_the_truth_are_counted(synthetic, save):
    results = synthetic(seeds=2)
    results["certificates"]["one-shot-4"]["kernel"][1][20] = 1e-9
    read = read_results(save(results))
    truth = read.methods["one-shot-4"].curves["gradient_norm"]
    found = read.certificates["one-shot-4"].compare(truth)
    assert found == (2 * 4 * 21 - 1, 2 * 4 * 21)
    assert "167 of 168" in render_page(read)


def dump(page, folder):
    """The page's elements after its scripts ran, as headless Chromium sees them."""
    path = folder / "shown.html"
    path.write_text(page, "utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    command = [CHROMIUM, *flags, "--window-size=390,844", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, timeout=120, check=True)
    return done.stdout.decode()


@in_browser
def test_in_chromium_the_charts_are_drawn_and_no_name_runs(synthetic, save):
    folder = save(*hostile(synthetic))
    shown = dump(page_of(folder), folder)
    elements = Elements(shown)
    tags = [tag for tag, _ in elements.found]
    assert "data-charts" in dict(elements.found)["html"]  # set by the last line of the script
    assert tags.count("path") > 100
    assert tags.count("script") == 2
    assert "img" not in tags
    assert "<title>owned" not in shown


HARNESS = """<script>
const out = {}, plot = document.querySelectorAll(".plot")[2], box = plot.getBoundingClientRect();
const tip = plot.parentNode.querySelector(".tip"), count = () => plot.querySelectorAll("path").length;
const move = () => plot.dispatchEvent(new PointerEvent("pointermove",
  {clientX: box.left + box.width / 2, clientY: box.top + box.height / 2}));
move(); out.tip = tip.textContent;
out.before = count();
document.querySelectorAll(".legend button")[3].click();
out.after = count();
move(); out.without = tip.textContent;
const ticks = () => [...plot.querySelectorAll("text")].map((t) => t.textContent).join();
out.log = ticks(); plot.parentNode.querySelector("button").click(); out.linear = ticks();
plot.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"})); out.key = tip.textContent;
document.querySelectorAll(".legend button").forEach((b) => {
  if (b.getAttribute("aria-pressed") === "true") b.click(); });
out.none = count();
out.wide = document.documentElement.scrollWidth - window.innerWidth;
document.documentElement.dataset.out = JSON.stringify(out);
</script></body>"""
WATCH = """<head><script>addEventListener("error", (e) =>
  { document.documentElement.dataset.error = e.message; });</script>"""


@in_browser
def test_in_chromium_hover_hide_and_the_log_switch_work_without_errors(synthetic, save):
    folder = save(synthetic())
    page = re.sub(r"<meta http-equiv[^>]*>", "", page_of(folder))  # it would forbid the harness
    page = page.replace("<head>", WATCH).replace("</body>", HARNESS)
    html = dict(Elements(dump(page, folder)).found)["html"]
    assert "data-error" not in html
    out = json.loads(html["data-out"])
    assert "iteration" in out["tip"]
    assert "one-shot, |S| = 4:" in out["tip"]
    assert "±" in out["tip"]
    assert out["before"] - out["after"] == 2  # the band and the line
    assert "one-shot, |S| = 4:" not in out["without"]
    assert out["log"] != out["linear"]
    assert "iteration 0" in out["key"]
    assert out["none"] == 0
    assert out["wide"] <= 0  # nothing sticks out on a phone
