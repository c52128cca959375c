import json

import pytest

from sparseaug.errors import FileFormatError, StorageError
from sparseaug.report import write_report
from sparseaug.report.results import read_results


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(StorageError, match=r"results\.json cannot be read"):
        write_report(tmp_path)


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
        (_drop("oracle_calls", "full"), "oracle_calls of 'full' is no count"),
        (_drop("test_risk", "none"), "test_risk is missing in 'none'"),
        (_put([[1, 2], [3]], "none", "test_risk"), "test_risk in 'none' is no table of numbers"),
        (_put([[1, 2]], "none", "test_risk"), "test_risk in 'none' has not 21 numbers"),
        (_put([], "none", "test_risk"), "test_risk in 'none' is no table"),
        (_put("x", "none", "train_risk"), "train_risk in 'none' is no table"),
        (_put([1, 0], "none", "step"), "step in 'none' is no increasing list"),
        (_put(True, "none", "oracle_calls"), "oracle_calls of 'none' is no count"),
        (_put(3, "none"), "'none' is no object"),
        (_put(float("nan"), "none", "test_risk", 0, 3), "it holds NaN"),
        (_put(10**400, "none", "test_risk", 0, 3), "test_risk in 'none'"),
        (_put([], "config"), "config is no object"),
        (_put({}, "certificates", "other"), "certificates of 'other', which is no method"),
        (_put([0.5], "certificates", "one-shot-4", "deviation"), "has not one number a seed"),
        (_put([[1.0] * 21], "certificates", "one-shot-4", "kernel"), "has not one row a seed"),
    ],
)
def test_damage_is_a_typed_error_that_names_the_file(synthetic, save, change, cause):
    results = synthetic()
    change(results)
    with pytest.raises(FileFormatError) as caught:
        write_report(save(results))
    assert "results.json is damaged" in str(caught.value)
    assert cause in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"config": {}}'])
def test_what_is_no_json_object_of_results_is_refused(tmp_path, data):
    (tmp_path / "results.json").write_bytes(data)
    with pytest.raises(FileFormatError, match=r"results\.json is damaged"):
        write_report(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_every_truncation_is_refused(synthetic, tmp_path):
    data = json.dumps(synthetic(seeds=1)).encode()
    for size in range(0, len(data), 997):
        (tmp_path / "results.json").write_bytes(data[:size])
        with pytest.raises(FileFormatError):
            read_results(tmp_path)


def test_damaged_timing_is_named(synthetic, save):
    folder = save(synthetic())
    (folder / "timing.json").write_text("[")
    with pytest.raises(FileFormatError, match=r"timing\.json is damaged"):
        read_results(folder)


def test_certificates_may_repeat_steps_and_bounds_for_every_seed(synthetic, save):
    results = synthetic(seeds=3)
    entry = results["certificates"]["one-shot-64"]
    entry["a-priori"] = entry.pop("a_priori")
    entry["a_priori_bound"] = [0.654] * 3
    entry["step"] = [entry["step"]] * 3
    found = read_results(save(results)).certificates["one-shot-64"]
    assert found.a_priori_bound == 0.654
    assert found.step.shape == (21,)
    assert found.bounds["a_priori"].shape == (3, 21)
