"""`sparseaug certify` and `sparseaug inspect` on rows that somebody else wrote."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import sparseaug as sa

COMMAND = "certify"


def test_rows_of_a_text_file_are_certified(run) -> None:
    S = sa.Oracle(sa.symmetric(4), seed=1).draw(9)
    Path("rows.json").write_text(json.dumps(S.elements.tolist()), encoding="utf-8")
    code, out, _ = run("rows.json", "--group", "S4", "--json")
    assert code == 0
    assert json.loads(out)["deviation"]["value"] == sa.deviation(S).value
    assert json.loads(out)["calls"] == 0


def test_rows_that_are_not_elements_are_refused(run) -> None:
    Path("rows.json").write_text("[[0, 0, 1, 2]]", encoding="utf-8")
    code, _, err = run("rows.json", "--group", "S4")
    assert code == 2
    assert "elements" in err


def test_rows_of_a_csv_file_with_names_are_inspected(run, monkeypatch) -> None:
    lines = ["classes,columns", *(f"{i % 4},{i % 6}" for i in range(12))]
    Path("rows.csv").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(sys.modules[__name__], "COMMAND", "inspect")
    code, out, _ = run("rows.csv", "--group", "C4xC6")
    assert code == 0
    assert out.startswith("exact on degree 1; not exact on degree 2\n")
    assert "they are zipped, not crossed" in " ".join(out.split())
    assert "full: m = 24" in out
    code, out, _ = run("rows.csv", "--group", "C4xC6", "--json")
    said = json.loads(out)
    assert (said["index"], said["order"], said["misses"]) == (2, 12, [2])
    assert (
        said == sa.inspect(sa.GroupSample("C4xC6", [(i % 4, i % 6) for i in range(12)])).to_dict()
    )


def test_a_file_that_is_cut_off_is_refused(run) -> None:
    Path("rows.json").write_text("[[1, 0", encoding="utf-8")
    code, _, err = run("rows.json", "--group", "S2")
    assert code == 2
    assert "neither JSON nor lines of integers" in err


def test_a_csv_file_of_names_alone_is_refused(run) -> None:
    Path("rows.csv").write_text("a,b\n", encoding="utf-8")
    code, _, err = run("rows.csv", "--group", "S2")
    assert code == 2
    assert "holds no rows" in err


def test_rows_of_rotations_are_real_numbers(run) -> None:
    S = sa.Oracle(sa.group("S3xSO3"), seed=0).draw(5)
    lines = ["a,b,c,w,x,y,z", *(",".join(map(repr, row)) for row in S.elements.tolist())]
    Path("rows.csv").write_text("\n".join(lines), encoding="utf-8")
    Path("rows.json").write_text(json.dumps(S.elements.tolist()), encoding="utf-8")
    for path in ("rows.csv", "rows.json"):
        code, out, err = run(path, "--group", "S3xSO3", "--degree", "2", "--json")
        assert code == 0, err
        assert json.loads(out)["sha256"] == S.sha256
        assert json.loads(out)["deviation"]["value"] == sa.deviation(S, degree=2).value
    Path("half.csv").write_text(
        ".5 .5 .5 -.5\n", encoding="utf-8"
    )  # a first line of numbers, not of names
    assert run("half.csv", "--group", "SO3", "--degree", "1")[0] == 0
    assert run("rows.json", "--group", "C7")[0] == 2  # integers elsewhere
    Path("mixed.csv").write_text(
        "0.5,0,1\n0,1,2\n", encoding="utf-8"
    )  # whose first line is not dropped as names
    assert run("mixed.csv", "--group", "S3")[0] == 2


def test_rows_without_a_group_ask_for_it(run) -> None:
    Path("rows.csv").write_text("0,1,2\n", encoding="utf-8")
    code, _, err = run("rows.csv")
    assert code == 2
    assert "--group" in err
