"""What a sample cost: every draw behind it counted once, however it was put together."""

from __future__ import annotations

import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.sampling.origin import count_draws

G = sa.symmetric(5)


def draws(seed, *sizes):
    oracle = sa.Oracle(G, seed=seed)
    return [oracle.draw(m) for m in sizes]


def test_words_cost_nothing_further_and_know_the_calls_behind_their_letters():
    (a,) = draws(0, 10)
    W = a.words(3, 50)
    assert (W.calls, W.calls_behind) == (0, 10)
    assert (W.words(2, 5).calls, W.words(2, 5).calls_behind) == (0, 10)
    bought = sa.GroupSample(G, a.elements, calls=7)
    assert bought.words(2, 5).calls_behind == 7


def test_a_plain_oracle_and_a_source_of_one_seed_share_no_draw():
    def discover(rng):
        return G.sample(1, rng)[0]

    (plain,) = draws(0, 8)
    found = sa.Oracle(G, seed=0, source=discover).draw(8)
    with pytest.raises(ArgumentError, match="repeats draws of S"):
        plain.translate(sa.Oracle(G, seed=0))
    for S in (found, found.words(2, 3)):
        assert S.translate(sa.Oracle(G, seed=0)).calls == S.calls + 1


def test_the_calls_of_a_source_are_each_charged_to_one_sample():
    """Calls 0 and 4 find no element: each is in the cost of the sample that comes next."""
    asked = []

    def discover(rng):
        asked.append(None)
        return [0] * 5 if len(asked) in (1, 5) else G.sample(1, rng)[0]

    oracle, made = sa.Oracle(G, source=discover), []
    for m in (2, 2, 4, 1, 2, 3):
        try:
            made.append(oracle.draw(m))
        except sa.errors.ElementError:
            continue
    assert sum(S.calls for S in made) == oracle.calls == len(asked)
    for S in made:
        assert S.calls == sum(stop - start for _, start, stop in S.origin.draws)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sa.Oracle(G).draw(10**9), r"m=1000000000 is too many.* 40 GB"),
        (lambda: sa.Oracle(G).draw(1 << 80), r"m=\d+ is too many"),
        (lambda: sa.Oracle(G, source=G.sample).draw(10**9), r"m=1000000000 is too many"),
        (lambda: draws(0, 3)[0].words(10**8, 3), r"length=100000000 is not allowed.*100,001"),
        (lambda: draws(0, 3)[0].words(3, 10**9), r"size=1000000000 is too many.* 40 GB"),
        (lambda: draws(0, 3)[0].words(10**5, 10**5), r"size=100000 is too many.* 80 GB"),
    ],
)
def test_samples_of_gigabytes_are_refused_with_the_number(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_draws_that_overlap_are_counted_once():
    assert count_draws([(0, 0, 4), (0, 2, 10)]) == 10
    assert count_draws([(0, 0, 9), (0, 2, 4)]) == 9
