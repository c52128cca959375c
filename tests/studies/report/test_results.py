import json

import pytest

from sparseaug.errors import FileFormatError
from studies.paper import read_results
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
