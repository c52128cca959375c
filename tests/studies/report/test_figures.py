import re
from pathlib import Path

import numpy as np
import pytest

from studies.paper import Comparison, read_results
from studies.paper.compared import MEASURED
from studies.rates import Line, Panel
from studies.report import looks, write_report
from studies.report.charts import Series
from studies.report.figures import draw_certificates, draw_designs, draw_figure
from studies.report.looks import Look, figure_bytes
from studies.report.study import draw_panels

pytestmark = pytest.mark.usefixtures("drawing")


def test_the_figure_has_the_four_panels_of_the_paper(synthetic, save):
    results = read_results(save(synthetic()))
    figure = draw_figure(results)
    a, b, c, d = figure.axes
    assert [axes.get_yscale() for axes in figure.axes] == ["linear", "linear", "log", "linear"]
    assert d.get_xscale() == "log"
    assert [len(axes.lines) for axes in (a, b, c)] == [6, 6, 6]
    full = results.methods["full"]
    drawn = next(line for line in b.lines if line.get_color() == "#1A1A1A")
    np.testing.assert_allclose(drawn.get_ydata(), full.curves["test_risk"].mean(axis=0))
    at = sorted(float(bars.lines[0].get_xdata()[0]) for bars in d.containers)
    assert at == [4, 16, 64, 500, 720]
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 6


def test_the_certificate_figure_shows_every_bound_and_every_deviation(synthetic, save):
    figure = draw_certificates(read_results(save(synthetic(seeds=5))))
    assert [axes.get_yscale() for axes in figure.axes] == ["log"] * 3 + ["linear"]
    assert all(len(axes.lines) == 5 for axes in figure.axes[:3])
    assert len({axes.get_ylim() for axes in figure.axes[:3]}) == 1
    clouds = [line for line in figure.axes[3].lines if line.get_linestyle() == "None"]
    assert [len(line.get_ydata()) for line in clouds] == [0, 5, 5, 5]  # the first is the legend's


def test_one_seed_one_method_one_evaluation_and_odd_names_are_drawn(synthetic, save):
    results = synthetic(seeds=1, certificates=False)
    method = results.pop("full")
    for key in ("step", "train_risk", "test_risk", "gradient_norm", "identity_test_risk"):
        method[key] = method[key][:1] if key == "step" else [row[:1] for row in method[key]]
    only = {"config": {}, "$\\frac{名": method}
    assert figure_bytes(draw_figure(read_results(save(only))), "png")


def test_gradient_norms_that_are_all_zero_are_drawn_without_a_log_axis(synthetic, save):
    results = synthetic(certificates=False)
    for method in results.values():
        if "gradient_norm" in method:
            method["gradient_norm"] = [[0.0] * 21] * 4
    figure = draw_figure(read_results(save(results)))
    assert figure.axes[2].get_yscale() == "linear"
    assert figure_bytes(figure, "png")


def test_the_same_results_give_the_same_bytes(synthetic, save):
    folder = save(synthetic())
    first = {path.name: path.read_bytes() for path in write_report(folder)}
    assert list(first) == [
        "figure.pdf",
        "figure.png",
        "certificates.pdf",
        "certificates.png",
        "report.html",
    ]
    assert first["figure.pdf"].startswith(b"%PDF")
    assert first == {path.name: path.read_bytes() for path in write_report(folder)}


def test_without_certificates_there_is_no_second_figure(synthetic, save):
    written = write_report(save(synthetic(certificates=False)))
    assert [path.name for path in written] == ["figure.pdf", "figure.png", "report.html"]
    assert "What is certified" not in written[-1].read_text("utf-8")


def test_the_figure_of_designs_has_draws_and_designs_at_every_m_and_the_full_group(designs):
    found = Comparison.from_dict(designs)
    figure = draw_designs(found)
    assert [axes.get_yscale() for axes in figure.axes] == ["log", "log", "linear"]
    for axes, name in zip(figure.axes, ("discrepancy", "gradient_norm", "test_risk"), strict=True):
        draws, design = (bars.lines[0] for bars in axes.containers)
        assert list(draws.get_xdata()) == list(design.get_xdata()) == [6, 12, 60, 120]
        expected = [size.by_seed("design", name).mean() for size in found.sizes]
        np.testing.assert_allclose(design.get_ydata(), expected)
        level = [line for line in axes.lines if len(line.get_xdata()) == 2]
        assert len(level) == (name != "discrepancy")
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()][-1] == "full group"
    for size in designs["sizes"]:  # a discrepancy of exactly zero has no place on a log axis
        size["design"]["discrepancy"] = [[0.0] * 3] * 4
    assert figure_bytes(draw_designs(Comparison.from_dict(designs)), "png")


@pytest.mark.parametrize("mean", [0.1, 1 / 3, 5e-324, 1e90, 0.0, -1.0])
@pytest.mark.parametrize("seeds", [1, 2, 3])
def test_a_spread_of_zero_or_a_negative_mean_never_makes_a_bar_of_negative_length(mean, seeds):
    rows = np.full((seeds, 3), mean) * np.array([1.0, 1.1, 1 / 7])
    series = Series("a", "a", Look("#000000", "#ffffff", (), "o"), np.arange(3), rows)
    for log in (False, True):
        low, high = series.band(log=log)
        assert (low <= series.mean).all()
        assert (series.mean <= high).all()


def test_designs_of_one_seed_are_drawn(designs):
    for size in designs["sizes"]:
        for kind in ("draws", "design"):
            for name in MEASURED:
                size[kind][name] = [[0.1]]
    for name in ("gradient_norm", "test_risk"):
        designs["full"][name] = designs["full"][name][:1]
    assert figure_bytes(draw_designs(Comparison.from_dict(designs)), "png")


def test_colours_are_written_in_one_file():
    """A thing has one colour in all figures because no other file names any."""
    files = sorted(Path(looks.__file__).parents[1].rglob("*.py"))
    named = [
        path.name for path in files if re.search(r"[\"']#[0-9A-Fa-f]{3,8}[\"']", path.read_text())
    ]
    assert named == ["looks.py"]


def test_a_kind_that_has_a_look_keeps_it_in_a_study_and_its_second_line_another_marker():
    names = ("design", "draws", "field: crops", "field: flips", "S6")
    drawn = draw_panels([Panel("x", "m", [Line(n, [1.0, 2.0], [[1.0, 0.5]]) for n in names])])
    design, draws, crops, flips, other = drawn.axes[0].lines
    assert design.get_color() == looks.LOOKS["design"].colour
    assert draws.get_color() == looks.LOOKS["draws"].colour
    assert crops.get_color() == flips.get_color() == looks.LOOKS["field"].colour
    assert crops.get_marker() != flips.get_marker()
    assert other.get_color() == looks.SPARE[0].colour


def test_a_name_has_one_colour_in_all_panels_of_a_study_and_legends_stand_below():
    line = {name: Line(name, [1.0, 10.0], [[1.0, 2.0]]) for name in "abc"}
    figure = draw_panels(
        [Panel("first", "x", list(line.values())), Panel("second", "x", [line["c"]])]
    )
    first, second = figure.axes
    assert first.lines[2].get_color() == second.lines[0].get_color()
    assert len({drawn.get_color() for drawn in first.lines}) == 3
    figure.canvas.draw()
    for axes in figure.axes:
        assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "10"]
        assert axes.get_legend().get_window_extent().y1 < axes.xaxis.label.get_window_extent().y0
