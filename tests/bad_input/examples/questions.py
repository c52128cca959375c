"""Good arguments of what is asked before training: is the symmetry there, what does this list miss."""

from __future__ import annotations

from collections.abc import Iterator

import sparseaug as sa
from tests.bad_input.examples.core import ACT, MOVED, RISK, THETA, S, X, oracle
from tests.bad_input.judge import Example, Fresh


def of_symmetry_tests() -> Iterator[Example]:
    good = {"x": X, "action": ACT, "S": "full", "move": "each", "draws": 5, "seed": 0}
    takes = {"x": tuple(each for each in MOVED if each != "array of NaN")}
    yield Example(sa.test_invariance, {**good, "statistic": "energy"}, takes=takes)


def of_inspection() -> Iterator[Example]:
    yield Example(sa.inspect, {"rows": [[1, 0, 2, 3]], "group": "S4"})
    yield Example(sa.inspect, {"rows": [[1, 0], [0, 1]], "group": sa.sign_flips(2)})
    two = {"rows": [[1, 0, 2, 3], [0, 1, 2, 3]], "group": "S4"}
    yield Example(sa.inspect, {**two, "weights": [0.5, 1.5], "tolerance": 1e-6})


def of_pilots() -> Iterator[Example]:
    found = sa.pilot(RISK, THETA, oracle())
    asked = {"risk": RISK, "theta": THETA, "oracle": Fresh(oracle), "calls": 32, "by": None}
    yield Example(sa.pilot, asked, takes={"by": ("text",)})
    yield Example(found.predict, {"S": S}, takes={"S": ("a billion",)})
    yield Example(found.plan, {"eps": 0.1, "delta": 0.05})
    yield Example(found.plan(0.1).row, {"method": "draws"})
    yield Example(sa.plans.Pilot.from_dict, {"data": found.to_dict()})


def of_orders() -> Iterator[Example]:
    yield Example(sa.orders, {"n": 5, "m": 7, "balance": "first", "rng": 0})
    yield Example(sa.orders_report, {"rows": [[0, 1, 2], [2, 0, 1]]})
    yield Example(sa.signs, {"d": 5, "m": 7, "even": True, "rng": 0})
    yield Example(sa.signs_report, {"rows": [[1, -1, 1], [-1, -1, 1]]})
    yield Example(sa.qmc.Permutations, {"n": 5, "balance": "first", "rng": 0})
    yield Example(sa.qmc.Signs, {"d": 5, "rng": 0})
    yield Example(sa.qmc.Rotations, {"rng": 0})
    yield Example(sa.qmc.Permutations(5).random, {"n": 3})
    yield Example(sa.qmc.Permutations(5).fast_forward, {"n": 3})
    yield Example(sa.qmc.Signs(5).random, {"n": 3})


EXAMPLES = [*of_orders(), *of_symmetry_tests(), *of_inspection(), *of_pilots()]
