"""Lanczos bounds: right for every start that is as good as claimed, wrong as seldom as claimed.

Two kinds of operators make every term count. `diagonal` has an answer that is known exactly, and a
start whose lean on it is known too. `Hiding` rounds as badly as it says it may, so as to hide the
answer: a bound that leaves out a part of the rounding, or claims a better start, is then below it.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.norms import lanczos, tuples
from sparseaug.norms.coordinates import coordinates_norm
from sparseaug.norms.lanczos import Operator, krylov_norm, lanczos_norm
from sparseaug.norms.norm import Norm

CERTAIN = 1e-13  # NumPy's own norm may be off by this, relatively


def matrix_operator(matrix: np.ndarray) -> Operator:
    rounding = matrix.shape[0] * 2.0**-52 * float(np.linalg.norm(matrix))
    norm = float(np.linalg.norm(matrix)) * 1.01
    return Operator(len(matrix), lambda x: matrix @ x, lambda x: matrix.T @ x, rounding, norm=norm)


@pytest.mark.parametrize("dimension", [1, 2, 3, 10, 60])
def test_the_random_start_is_above_the_dense_norm_for_many_seeds(dimension):
    # 5 x 100 bounds that fail with probability 1e-9 each
    rng = np.random.default_rng(dimension)
    for seed in range(100):
        matrix = rng.normal(size=(dimension, dimension)) / 10
        if seed % 3 == 0:
            matrix = np.outer(matrix[0], matrix[:, 0])
        truth = float(np.linalg.norm(matrix, 2))
        bounds = lanczos_norm(matrix_operator(matrix), key=str(seed))
        assert bounds.lower <= truth * (1 + CERTAIN)
        assert truth * (1 - CERTAIN) <= bounds.upper <= truth * (1 + 1e-6)


def matrix_operator_of_diagonal(diagonal: np.ndarray) -> Operator:
    return Operator(len(diagonal), diagonal.__mul__, diagonal.__mul__, 2.0**-52)


TOP, REST = 0.9, 0.5


def hiding(rounding: float, dimension: int = 400) -> Operator:
    """diag(TOP, REST, ..., REST), computed as REST wherever an error of `rounding` allows that.

    REST is a power of two: nothing else is rounded. Hidden is what leans on the first entry by at most
    rounding / (TOP - REST), which is as much as a bound can know nothing of.
    """

    def apply(x: np.ndarray) -> np.ndarray:
        y = REST * x
        if (TOP - REST) * abs(x[0]) > rounding * np.linalg.norm(x):
            y[0] = TOP * x[0]
        return y

    return Operator(dimension, apply, apply, rounding, norm=TOP)


def leaning(lean: float, dimension: int = 400) -> np.ndarray:
    """A start of length 1 whose first entry is `lean`."""
    start = np.random.default_rng(1).standard_normal(dimension)
    start[0] = 0.0
    start *= math.sqrt(1 - lean**2) / np.linalg.norm(start)
    start[0] = lean
    return start


@pytest.mark.parametrize("rounding", [1e-3, 1e-6, 1e-9])
def test_an_answer_hidden_by_rounding_is_in_the_bound_and_a_start_worse_by_a_percent_is_not(
    rounding, monkeypatch
):
    monkeypatch.setattr(lanczos, "MAX_STEPS", 40)
    operator = hiding(rounding)
    edge = rounding / (TOP - REST)
    lean = edge * (1 - 1e-7)
    assert krylov_norm(operator, leaning(lean), lean).upper >= TOP
    assert krylov_norm(operator, leaning(lean), 1.01 * edge).upper < TOP
    # a start that leans on it more shows it, and the bound closes in
    seen = krylov_norm(operator, leaning(100 * edge), 99 * edge)
    assert seen.lower <= TOP <= seen.upper


@pytest.mark.parametrize("failure_probability", [0.1, 0.5])
@pytest.mark.parametrize("harder", [0.95, 1.9])
def test_the_bound_fails_as_often_as_stated_and_not_more(failure_probability, harder, monkeypatch):
    """150 keys. The rounding is chosen so that a start is fooled if it leans on the answer by less than
    `harder` times what is claimed; just below 1 the stated probability is used up. That more than
    p + 3 sqrt(p (1 - p) / 150) of them fail although p is right has probability below 0.002.
    """
    monkeypatch.setattr(lanczos, "MAX_STEPS", 8)
    trials, dimension = 150, 4000  # the length of a start is then within 3 % of sqrt(dimension)
    share = failure_probability ** (1 / 3)
    claimed = 1.25 * share / math.sqrt(dimension)
    operator = hiding(harder * claimed * (TOP - REST), dimension)
    failures = sum(
        lanczos_norm(operator, key=str(key), failure_probability=failure_probability).upper < TOP
        for key in range(trials)
    )
    p = failure_probability
    assert failures <= trials * (p + 3 * math.sqrt(p * (1 - p) / trials))
    if harder < 1:  # |N(0, 1)| < 0.95 * 1.25 share, three times in a row
        expected = math.erf(harder * 1.25 * share / math.sqrt(2)) ** 3
        assert abs(failures / trials - expected) < 4 * math.sqrt(expected / trials)


def test_each_start_has_the_third_root_of_the_chance(monkeypatch):
    """Three starts fail together with share^3, share = overlap * length sqrt(2 / pi)."""
    claims = []

    def record(operator, start, overlap, **_):
        claims.append(overlap * math.sqrt(operator.dimension))
        return Norm(1.0, 0.0)

    monkeypatch.setattr(lanczos, "krylov_norm", record)
    lanczos_norm(hiding(1e-9, 10**4), failure_probability=1e-9)
    assert len(claims) == 3
    for claim in claims:
        chance = claim * math.sqrt(2 / math.pi)
        assert 0.98e-3 < chance < 1.02e-3  # the length of a start is within 2 % of 100


def test_starts_are_keyed_by_the_sample_and_differ_from_each_other(monkeypatch):
    monkeypatch.setattr(tuples, "DENSE_DIMENSION", 0)
    starts: list[list[bytes]] = []
    bound = lanczos.krylov_norm

    def record(operator, start, *args, **options):
        starts[-1].append(start.tobytes())
        return bound(operator, start, *args, **options)

    monkeypatch.setattr(lanczos, "krylov_norm", record)
    S = sa.Oracle(sa.symmetric(5), seed=0).draw(6)
    again = sa.GroupSample(S.group, S.elements[::-1])  # the same multiset
    other = sa.Oracle(S.group, seed=1).draw(6)
    for sample in (S, again, other):
        starts.append([])
        coordinates_norm(sample, degree=2)
    assert starts[0] == starts[1]
    assert len(set(starts[0] + starts[2])) == 6


def test_three_starts_bring_upper_and_lower_bound_together():
    """One start at 1e-9 left a gap of 7e-4."""
    S = sa.Oracle(sa.symmetric(18), seed=0).draw(32)  # 4896 triples
    norm = coordinates_norm(S, degree=3)
    assert norm.failure_probability == 1e-9
    assert norm.lower <= norm.upper <= norm.lower * (1 + 2e-9)


def test_a_bound_from_above_that_is_seen_to_be_false_is_not_kept():
    """A start that leans on the answer less than claimed, but enough for Lanczos to find it."""
    diagonal = np.array([0.9, 0.5, 0.3, 0.1])
    start = np.array([1e-3, 0.6, 0.6, 0.53])
    bounds = krylov_norm(matrix_operator_of_diagonal(diagonal), start, 0.5)
    assert 0.9 * (1 - 1e-9) < bounds.lower <= bounds.upper


@pytest.mark.parametrize("others", [1, 2, 3, 4])
def test_no_step_excludes_the_answer_and_the_last_one_nearly_does(others):
    """With q other eigenvalues, q steps leave nothing but the answer: the bound is then tight."""
    dimension, lean = 40, 1e-6
    values = np.linspace(0.1, REST, others)
    diagonal = np.concatenate([[TOP], np.resize(values, dimension - 1)])
    operator = matrix_operator_of_diagonal(diagonal)
    run = lanczos._Run(operator, leaning(lean, dimension))
    for _ in range(others):
        run.step()
        assert not lanczos._excludes(TOP**2, run, lean)
    assert lanczos._least_excluded(run, lean, 1.0) <= TOP**2 * (1 + 2e-3)
    for _ in range(20):
        run.step()
        assert not lanczos._excludes(TOP**2, run, lean)


def coarse(operations: dict[np.ufunc, np.ufunc]) -> type[np.ndarray]:
    """Arrays in which these operations keep 8 bits, each rounded up or down as it is told."""

    class Coarse(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
            plain = [x.view(np.ndarray) if isinstance(x, Coarse) else x for x in inputs]
            result = getattr(ufunc, method)(*plain, **options)
            if not isinstance(result, np.ndarray):
                return result
            if ufunc in operations:
                mantissa, exponent = np.frexp(result)
                result = np.ldexp(operations[ufunc](mantissa * 2.0**8), exponent - 8)
            if out is not None:
                out[0].view(np.ndarray)[...] = result
                return out[0]
            return result.view(Coarse)

    return Coarse


def spread_out(top: float, values: np.ndarray) -> Operator:
    """A symmetric matrix whose answer leans on all entries alike: a diagonal one, reflected."""
    dimension = len(values) + 1
    diagonal = np.concatenate([[top], values])
    mirror = np.full(dimension, -(dimension**-0.5))
    mirror[0] += 1.0
    mirror *= math.sqrt(2) / np.linalg.norm(mirror)

    def reflect(x: np.ndarray) -> np.ndarray:
        return x - mirror * (mirror @ x)

    def apply(x: np.ndarray) -> np.ndarray:
        return reflect(diagonal * reflect(x.view(np.ndarray))).view(type(x))

    return Operator(dimension, apply, apply, 1e-14, norm=top)


def test_arithmetic_with_eight_bits_that_rounds_against_the_answer_does_not_exclude_it(monkeypatch):
    """Products and differences lose up to a part in 2^7: more than the start leans on the answer."""
    rough = coarse({np.multiply: np.ceil, np.subtract: np.floor})  # a v is subtracted
    dimension = 2000
    operator = spread_out(TOP, np.full(dimension - 1, REST))
    z = np.full(dimension, dimension**-0.5)
    other = np.random.default_rng(3).standard_normal(dimension)
    other -= z * (z @ other)
    other /= np.linalg.norm(other)
    fine = lanczos.gamma
    for unit, sound in ((2.0**-7, True), (0.0, False)):
        found = []
        for lean in (2e-4, 5e-4, 1e-3, 2e-3, 1e-2):
            start = (lean * z + math.sqrt(1 - lean**2) * other).view(rough)
            with monkeypatch.context() as patch:
                patch.setattr(lanczos, "gamma", lambda n, u=unit: 1.1 * n * u if n < 9 else fine(n))
                patch.setattr(lanczos, "UNIT", unit)
                run = lanczos._Run(operator, start)
                run.step()
                found.append(lanczos._excludes(TOP**2, run, lean * (1 - 1e-9)))
        assert any(found) is not sound  # without the terms the test does see it


def test_normalising_with_eight_bits_does_not_exclude_the_answer(monkeypatch):
    rough = coarse({np.divide: np.floor})
    dimension = 2000
    values = np.full(dimension - 1, REST)
    values[: dimension // 2] = 0.25
    operator = spread_out(TOP, values)
    z = np.full(dimension, dimension**-0.5)
    rng = np.random.default_rng(4)
    for unit, sound in ((2.0**-7, True), (0.0, False)):
        found = []
        for lean in (1e-4, 2e-4, 5e-4, 1e-3, 2e-3):
            other = rng.standard_normal(dimension)
            other -= z * (z @ other)
            other /= np.linalg.norm(other)
            start = (lean * z + math.sqrt(1 - lean**2) * other).view(rough)
            with monkeypatch.context() as patch:
                patch.setattr(lanczos, "UNIT", unit)
                run = lanczos._Run(operator, start)
                for _ in range(2):
                    run.step()
                found.append(lanczos._excludes(TOP**2, run, lean * (1 - 1e-9)))
        assert any(found) is not sound


def test_the_norm_of_a_vector_is_not_below_the_truth_when_its_products_are_as_low_as_can_be():
    class Low(np.ndarray):
        def __matmul__(self, other):
            exact = math.fsum((self.view(np.ndarray) * other.view(np.ndarray)).tolist())
            return exact * (1 - lanczos.gamma(len(self)) * 0.999)

    for length in (3, 1000, 10**6):
        x = np.ones(length)
        assert lanczos._norm_upper(x.view(Low)) >= math.sqrt(length)


def test_sums_in_two_levels_are_within_their_bound_in_single_precision(monkeypatch):
    monkeypatch.setattr(lanczos, "gamma", lambda n: n * 2.0**-24 / (1 - n * 2.0**-24))
    rng = np.random.default_rng(0)
    off = 0.0
    for length in (1, 2, 10, 999, 10**5):
        for _ in range(20):
            x = rng.uniform(0, 1, length).astype(np.float32)
            total, relative = lanczos.sum_in_two_levels(x)
            exact = math.fsum(x.tolist())
            assert abs(total - exact) <= relative * exact
            off = max(off, abs(total - exact) / exact)
    assert off > 1e-8


def test_the_lower_bound_is_not_above_the_truth_when_errors_lengthen_the_image():
    def longer(x: np.ndarray) -> np.ndarray:
        return REST * x * (1 + 1e-3 / REST)  # off by 1e-3 of the argument

    found = krylov_norm(Operator(50, longer, longer, 1e-3), leaning(0.2, 50), 0.2)
    assert REST * 0.99 < found.lower <= REST

    def drifting(x: np.ndarray) -> np.ndarray:
        y = REST * x
        y[0] = 0.1 * np.linalg.norm(y[1:])  # in the kernel of diag(0, REST, ..., REST)
        return y

    run = lanczos._Run(Operator(50, drifting, drifting, 1e-15, drift=0.1), leaning(0.0, 50))
    run.step()
    assert REST * 0.8 < run.lower() <= REST
