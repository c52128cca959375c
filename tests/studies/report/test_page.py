import json
import re
import subprocess
from html.parser import HTMLParser
from importlib import resources
from types import SimpleNamespace

import pytest

from studies.paper import claims, read_results
from studies.report import looks
from studies.report.page import render_page
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
