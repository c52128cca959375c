import json
import math
import re
import subprocess
from html.parser import HTMLParser
from importlib import resources
from types import SimpleNamespace

import pytest

from studies.paper import Comparison, claims, design_claims, read_results
from studies.report import looks, write_report
from studies.report.charts import method_label
from studies.report.page import render_page
from studies.sealed import save_json
from tests.last_lines import CHROMIUM, in_browser

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


def test_the_page_names_every_method_and_claim(synthetic, save):
    results = synthetic()
    timing = {"seconds": 12.3, "jobs": 2, "versions": {"numpy": "2.4.0"}}
    text = Elements(page_of(save(results, timing))).text
    for each in results.keys() - {"config", "certificates"}:
        assert method_label(each) in text
    for claim in claims(results):
        assert claim.text in text
        assert claim.measured in text
    for said in (
        "It took 12.3 s with 2 workers.",
        "2.4.0",
        "does not state the initialisation",
        "deviation 0.5",
    ):
        assert said in text


def test_the_page_says_what_the_theorem_does_not_cover_and_whether_the_box_was_met(synthetic, save):
    results = synthetic()
    text = Elements(page_of(save(results))).text
    assert "the step 0.05 is 85 to 95 times 1/L" in text
    assert "No entry was clipped" in text
    assert "claims of the paper hold, from a start of deviation 0.5" in text
    results["none"]["clipped"] = [3, 0, 4, 0]
    assert "7 entries were clipped" in Elements(page_of(save(results))).text


def test_a_bound_over_the_box_is_compared_with_the_largest_error_there(synthetic, save):
    page = page_of(save(synthetic()))
    assert (
        "60 to 300\N{MULTIPLICATION SIGN}" in page
    )  # one-shot-4: the bound is 1, B is 30,000, the error 500 to 100
    assert "39 to 196\N{MULTIPLICATION SIGN}" in page  # one-shot-64: 0.654


def test_a_file_without_constants_of_the_box_is_shown_without_them(synthetic, save):
    results = synthetic()
    for each in results["certificates"].values():
        for name in ("box-B", "box-L", "box-error"):
            del each[name]
    for method in results.keys() - {"config", "certificates"}:
        del results[method]["clipped"]
    read = read_results(save(results))
    assert read.to_dict()["none"].keys() == results["none"].keys()
    text = Elements(page_of(save(results))).text
    assert "times 1/L" not in text
    assert "clipped" not in text


def test_verdicts_say_whether_they_hold(synthetic, save):
    results = read_results(save(synthetic()))
    verdicts = [SimpleNamespace(text=f"t{i}", measured="m", holds=i < 2) for i in range(3)]
    page = render_page(results, verdicts=verdicts)
    assert "2 of 3" in page
    assert page.count("✓ holds") == 2
    assert page.count("✗ not shown") == 1
    assert "What the paper says" not in render_page(results)


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


@pytest.mark.parametrize(
    "name", ["one-shot-" + "9" * 5000, "one-shot-007", "one-shot-٣", "one-shot-"]
)
def test_a_name_that_is_almost_a_method_s_is_shown_as_it_stands(synthetic, save, name):
    results = synthetic(seeds=1)
    results[name] = results["full"]
    assert name in Elements(page_of(save(results))).text


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


def test_designs_are_a_section_with_claims_charts_and_a_table(synthetic, save, designs):
    folder = save(synthetic())
    before = page_of(folder)
    assert "Designs instead of draws" not in before
    save_json(folder / "designs.json", designs)
    written = write_report(folder)
    assert [path.name for path in written[-3:]] == ["designs.pdf", "designs.png", "report.html"]
    elements = Elements(written[-1].read_text("utf-8"))
    for claim in design_claims(Comparison.from_dict(designs)):
        assert claim.text in elements.text
        assert claim.measured in elements.text
    assert "C_6 (m = 6), D_6 (m = 12), PSL(2,5) (m = 60) and PGL(2,5) (m = 120)" in elements.text
    assert "Designs beside draws" in [
        a.get("aria-label") for tag, a in elements.found if tag == "table"
    ]
    assert [tag for tag, _ in elements.found].count("svg") == 9 + 3
    for claim in claims(read_results(folder)):  # the paper's own stay as they are
        assert claim.text in elements.text
    assert "claims of the paper hold" in elements.text


def test_names_of_designs_from_a_file_stay_text(synthetic, save, designs):
    designs["sizes"][0]["design_name"] = ATTACK
    page = render_page(read_results(save(synthetic())), designs=Comparison.from_dict(designs))
    assert [tag for tag, _ in Elements(page).found].count("script") == 2
    assert "img" not in [tag for tag, _ in Elements(page).found]


def luminance(colour):
    """WCAG 2: relative luminance of #rrggbb."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def backgrounds():
    """(light, dark): the colours of page.css on which lines are drawn, and of all variables."""
    css = resources.files("studies.report").joinpath("page.css").read_text("utf-8")
    light, dark = (
        dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{([^}]*--paper[^}]*)\}", css)
    )
    return light, dark


def every_look():
    return {**looks.LOOKS, **{f"spare {i}": look for i, look in enumerate(looks.SPARE)}}


def test_the_formula_for_contrast_is_that_of_the_standard():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)  # as published


@pytest.mark.parametrize("name", every_look())
def test_every_line_has_a_contrast_of_3_in_both_colour_schemes(name):
    light, dark = backgrounds()
    for ground in ("card", "paper"):
        assert contrast(every_look()[name].colour, light[ground]) >= 3
        assert contrast(every_look()[name].dark, dark[ground]) >= 3


def test_text_and_the_cross_of_a_reading_have_a_contrast_of_4_5():
    for scheme in backgrounds():
        for name in ("ink", "soft", "good", "bad", "open", "accent"):
            assert contrast(scheme[name], scheme["card"]) >= 4.5, name


def test_legends_charts_and_tables_have_names(synthetic, save):
    timing = {"seconds": 12.3, "versions": {"numpy": "2.4.0"}}
    found = Elements(page_of(save(synthetic(), timing))).found
    legends = [a for tag, a in found if a.get("class") == "legend"]
    assert [a["role"] for a in legends] == ["group"] * 2
    assert len({a["aria-label"] for a in legends}) == 2
    tables = [a["aria-label"] for tag, a in found if tag == "table"]
    assert tables == ["Where each method ends", "Bounds and truth", "Configuration", "Versions"]
    scrolling = [a for tag, a in found if a.get("class") == "scroll"]
    assert [a["aria-label"] for a in scrolling] == tables
    assert {(a["role"], a["tabindex"]) for a in scrolling} == {("region", "0")}
    plots = [a["aria-label"] for tag, a in found if tag == "svg"]
    assert len(set(plots)) == len(plots) == 9


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


TOUCH = """<script>
const out = {}, plots = document.querySelectorAll(".plot"), plot = plots[2];
const tips = [...document.querySelectorAll(".tip")], open = () => tips.filter((t) => !t.hidden).length;
const touch = (svg, kind) => { const box = svg.getBoundingClientRect();
  svg.dispatchEvent(new PointerEvent(kind, {pointerType: "touch", bubbles: true,
    clientX: box.left + box.width / 2, clientY: box.top + box.height / 2})); };
const tap = (svg) => { touch(svg, "pointerdown"); touch(svg, "pointerup"); touch(svg, "pointerleave"); };
const escape = () => document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}));
out.before = open();
tap(plot); out.tap = open(); out.text = tips[2].textContent;
escape(); out.escape = open(); out.marks = plot.querySelectorAll(".marks *").length;
tap(plot); window.dispatchEvent(new Event("resize")); out.turned = open();
tap(plot); tap(plots[0]); out.other = open();
document.body.dispatchEvent(new PointerEvent("pointerdown", {pointerType: "touch", bubbles: true}));
out.elsewhere = open();
plot.dispatchEvent(new PointerEvent("pointermove", {pointerType: "mouse", clientX: 99, clientY: 99}));
out.mouse = open();
plot.dispatchEvent(new PointerEvent("pointerleave", {pointerType: "mouse"})); out.left = open();
out.names = [...document.querySelectorAll("button")].every((b) =>
  (b.getAttribute("aria-label") || b.textContent).trim());
out.bands = [...plot.querySelectorAll("path.band")].map((p) => p.getAttribute("d"));
out.lines = [...plot.querySelectorAll("path:not(.band)")].map((p) => p.getAttribute("d"));
document.documentElement.dataset.out = JSON.stringify(out);
</script></body>"""


def in_chromium(page, folder, harness):
    page = re.sub(r"<meta http-equiv[^>]*>", "", page)  # it would forbid the harness
    page = page.replace("<head>", WATCH).replace("</body>", harness)
    html = dict(Elements(dump(page, folder)).found)["html"]
    assert "data-error" not in html
    return json.loads(html["data-out"])


@in_browser
def test_in_chromium_a_tap_reads_and_escape_closes(synthetic, save):
    folder = save(synthetic())
    out = in_chromium(page_of(folder), folder, TOUCH)
    assert (out["before"], out["tap"], out["escape"], out["marks"]) == (0, 1, 0, 0)
    assert "iteration" in out["text"]
    assert "one-shot, |S| = 4:" in out["text"]
    assert out["turned"] == 0
    assert (out["other"], out["elsewhere"], out["mouse"], out["left"]) == (1, 0, 1, 0)
    assert out["names"]


@in_browser
def test_in_chromium_bands_on_a_log_axis_are_even_in_ratio_and_reach_no_zero(synthetic, save):
    """At the start the standard deviation is above the mean: less that, it is below zero."""
    results = synthetic(seeds=2)
    for method in results.values():
        if "gradient_norm" in method:
            method["gradient_norm"][0][0], method["gradient_norm"][1][0] = 0.01, 9.0
    folder = save(results)
    out = in_chromium(page_of(folder), folder, TOUCH)
    points = [
        [tuple(map(float, p.split())) for p in re.split("[MLZ]", d) if p] for d in out["bands"]
    ]
    lines = [
        [tuple(map(float, p.split())) for p in re.split("[MLZ]", d) if p] for d in out["lines"]
    ]
    assert len(points) == len(lines) == 6
    for band, line in zip(points, lines, strict=True):
        above, below = band[: len(line)], band[len(line) :][::-1]
        for (_, top), (_, middle), (_, foot) in zip(above, line, below, strict=True):
            assert foot - middle == pytest.approx(middle - top, abs=0.03)  # rounded to 0.01
    # sd is (9 - 0.01) / sqrt(2), so the band is a factor of 2.41 both ways, whatever the axis
    tops = [above[0][1] for above in points]
    assert max(tops) == pytest.approx(min(tops), abs=0.03)
    assert math.isfinite(sum(tops))


@in_browser
def test_in_chromium_zeros_leave_a_gap_on_a_log_axis(synthetic, save):
    results = synthetic(seeds=1)
    results["full"]["gradient_norm"][0][10] = 0.0
    folder = save(results)
    out = in_chromium(page_of(folder), folder, TOUCH)
    assert len(out["lines"]) == len(out["bands"]) == 7
