"""The oracle: what it counts, what it refuses, and draws that depend on (seed, index) alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ElementError, OracleBudgetError
from sparseaug.sampling import Origin, keyed_rng
from sparseaug.testing import check_oracle


def test_every_groups_oracle_passes_the_public_check(group):
    check_oracle(lambda seed, budget: sa.Oracle(group, seed, budget))


def test_a_source_oracle_passes_the_public_check():
    group = sa.symmetric(5)

    def discover(rng):
        return group.sample(1, rng)[0]

    check_oracle(lambda seed, budget: sa.Oracle(group, seed, budget, source=discover))


@pytest.mark.parametrize("parts", [(10, 54), (1,) * 64])
def test_draws_in_parts_are_the_draw_in_one_go(parts):
    whole = sa.Oracle(sa.symmetric(10), seed=0).draw(64).elements
    oracle = sa.Oracle(sa.symmetric(10), seed=0)
    assert np.array_equal(np.concatenate([oracle.draw(m).elements for m in parts]), whole)
    assert oracle.calls == 64


# What these seeds meant when they were first published; they must never mean anything else.
PUBLISHED = {
    "S6": "16556b0b1c903b23ffcde4ed14a4ccd4eab79e5c7612f3b456cc2c44e22b2ea8",
    "S600": "3bbc7c5cfe9317f556fd6d6bb8b974d640df2afc176918e9cc1da3b7cbdee284",
    "A7": "6a66bf48836758ba37e168fbc717cbfa5af5fa6fc17f6dd141eb3ba0b6fdf01a",
    "B5": "d57d5c5988280ef2f1006f5b17289f1b6768a69ece72ffb97a55458262c9e7d9",
    "D12": "adc25f2ed6ba9e8150305432b26166c9658b868e9df8009c4f37a7786e0e4495",
    "C1000": "8995363425cf2cce1e768faa0de73426ec1b6e1eea86eb0d24165dad4b10c73e",
    "C1000000000000": "80a8b6ce4a1830e028b8ce53a1b3750fc9594ae3e4d50270abb7b8b061277ffb",
    "Z2^4096": "56fd6983a4c67899fb2bcd16fd31118594be6ace31d6be628d49f7a9a374b57d",
    "C28xC28": "25df5e7372d0c86bffad3a791a837a15c6edb5a6874386f79c9755084bf3c6c3",
    "M24": "f08d03df29065c2b81eb6e65922e5fa5f7fcae390aa7ea424376aff3637260ce",
    "Rubik": "164cfee8d99df0e1e159675a994759618dc28499c5b4dfbaf4e24e3dc501ce78",
    "Cube48": "30ff42fe980b674078a2bc357994ee6b4abd32a4cfcd2844e9b7890c0a92483d",
    "S3xZ2^4": "75cf28c5f1f408d8622ea27bcd4e895ea3918afc9f0bcb0896dcc41e0b0414ff",
}


@pytest.mark.parametrize("name", list(PUBLISHED))
def test_a_seed_means_the_same_everywhere(name):
    assert sa.Oracle(sa.group(name), seed=0).draw(64).sha256 == PUBLISHED[name]


def test_keys_are_streams_of_their_own():
    keys = [(s, p, t, i) for s in (0, 1) for p in ("a", "b") for t in (0, 1) for i in (0, 1)]
    firsts = {int(keyed_rng(s, p, step=t, index=i).integers(0, 1 << 63)) for s, p, t, i in keys}
    assert len(firsts) == len(keys)


def test_a_refused_draw_draws_and_counts_nothing():
    oracle = sa.Oracle(sa.symmetric(6), seed=0, budget=1000)
    oracle.draw(1000 - 10)
    message = "drawing m=64 would make 1054 oracle calls of a budget of 1000; raise budget="
    with pytest.raises(OracleBudgetError, match=message):
        oracle.draw(64)
    assert (oracle.calls, oracle.remaining) == (990, 10)
    assert sa.Oracle(sa.symmetric(6)).remaining == math.inf


def test_a_source_is_called_once_per_draw_and_checked():
    group, asked = sa.symmetric(4), []

    def discover(rng):
        asked.append(len(asked))
        return [0, 0, 1, 2] if len(asked) == 4 else group.sample(1, rng)[0]

    oracle = sa.Oracle(group, budget=10, source=discover)
    oracle.draw(2)
    with pytest.raises(ElementError, match=r"element of oracle call 4\[0\]"):
        oracle.draw(5)
    assert oracle.calls == len(asked) == 4  # the bad one was paid for
    S = oracle.draw(3)  # starts with the good one found before the failure
    assert S.calls == 4  # and pays for the bad one
    assert S.origin == Origin("source", 0, start=2, draws=((0, 2, 6),), sourced=(0,))
    assert oracle.calls == len(asked) == 6
    assert S.m == 3
    with pytest.raises(OracleBudgetError):
        oracle.draw(5)
    assert oracle.calls == len(asked) == 6
