import numpy as np
import pytest

from studies.report import write_report
from studies.report.charts import Series
from studies.report.looks import Look

pytestmark = pytest.mark.usefixtures("drawing")


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


@pytest.mark.parametrize("mean", [0.1, 1 / 3, 5e-324, 1e90, 0.0, -1.0])
@pytest.mark.parametrize("seeds", [1, 2, 3])
def test_a_spread_of_zero_or_a_negative_mean_never_makes_a_bar_of_negative_length(mean, seeds):
    rows = np.full((seeds, 3), mean) * np.array([1.0, 1.1, 1 / 7])
    series = Series("a", "a", Look("#000000", "#ffffff", (), "o"), np.arange(3), rows)
    for log in (False, True):
        low, high = series.band(log=log)
        assert (low <= series.mean).all()
        assert (series.mean <= high).all()
