import json

import pytest

from sparseaug.errors import FileFormatError
from studies.paper import read_results
from studies.paper.quantities import QUANTITIES, Quantity
from studies.report import write_report


def _drop(key, *path):
    def change(results):
        for part in path:
            results = results[part]
        del results[key]

    return change


def _put(value, *path):
    def change(results):
        for part in path[:-1]:
            results = results[part]
        results[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (_drop("oracle_calls", "full"), "oracle_calls of 'full' is not a count"),
        (_drop("test_risk", "none"), "test_risk is missing in 'none'"),
        (_put([[1, 2], [3]], "none", "test_risk"), "test_risk in 'none' is not a table of numbers"),
        (_put(3, "none"), "'none' is not an object"),
        (_put(1e308, "none", "test_risk", 0, 3), "is not finite or above 1e+100"),
        (_put("many", "config", "sample_sizes"), "config: sample_sizes='many'"),
        (_put({}, "certificates", "other"), "certificates of 'other', which is not a method"),
        (_put([0.5], "certificates", "one-shot-4", "deviation"), "of shape (1,) and not (4,)"),
        (_put([-1] * 4, "none", "clipped"), "clipped in 'none' is not a count for each seed"),
    ],
)
def test_damage_is_a_typed_error_that_names_the_file(synthetic, save, change, cause):
    results = synthetic()
    change(results)
    with pytest.raises(FileFormatError) as caught:
        write_report(save(results))
    assert "results.json is damaged" in str(caught.value)
    assert cause in str(caught.value)


def test_results_without_a_checksum_or_edited_are_refused(synthetic, save):
    path = save(synthetic(seeds=1)) / "results.json"
    whole = path.read_text()
    plain = json.loads(whole)
    risk = plain["full"]["test_risk"][0][3]
    path.write_text(whole.replace(repr(risk), repr(risk / 2)))
    with pytest.raises(FileFormatError, match="sha256 does not match"):
        read_results(path.parent)
    del plain["sha256"]
    path.write_text(json.dumps(plain))
    with pytest.raises(FileFormatError, match="has no sha256"):
        read_results(path.parent)


def test_files_from_before_a_quantity_or_a_bound_was_added_are_read(synthetic, save, monkeypatch):
    first = [each for each in QUANTITIES if not each.added]
    later = Quantity("value", "value", lambda evaluation, theta: 0.0, added=True)
    monkeypatch.setattr("studies.paper.results.QUANTITIES", [*first, later])
    results = synthetic()
    later_ones = ("sharp-bound", "spectral", "words", "box-B", "box-L", "box-error")
    for certificate in results["certificates"].values():
        for name in later_ones:
            del certificate[name]
    read = read_results(save(results))
    assert read.quantities == first
    assert read.certificates["one-shot-4"].values.keys() == {
        *("deviation", "a-priori-bound", "kernel", "a-priori")
    }
    assert write_report(save(results))
    for method in results.keys() - {"config", "certificates"}:
        results[method]["value"] = results[method]["test_risk"]
    assert read_results(save(results)).quantities == [*first, later]
    del results["full"]["value"]
    with pytest.raises(FileFormatError, match="value is missing in 'full'"):
        read_results(save(results))
