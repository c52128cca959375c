"""The worst function: energies that tend to the deviation, in groups that can be listed.

With D the mean of S less that of G on l2(G), the energy of order k is tr (D* D)^k / |G| = sum over
pi of d_pi tr (pi(S)* pi(S))^k / |G|: its 2k-th root tends to the largest norm as k grows. Putting g
into S changes it, to first order, by 2k times the value at g of the function D (D* D)^(k-1) e, e
the identity's point mass without its mean. So one function on G, made by 2k - 1 averages over S,
says which element is best to add, and which one in S is worst. That is the derandomised choice of
Wigderson and Xiao (2008) with a power in place of the exponential, and without any irrep.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import shorten
from sparseaug.groups import Group
from sparseaug.norms.norm import announce
from sparseaug.norms.regular import left_translations
from sparseaug.search.objectives import Elements, Objective, Scores, Values
from sparseaug.search.search import Places, first_least

LARGEST_ORDER = 1_000_000
"""Order up to which the whole group is listed."""

GREEDY_ORDER = 4
"""k of the greedy choice for 720 elements; between 3 and 6 the deviations differ by some percent."""

NORM_ORDERS = (16, 40)

MOST_TRIES = 4000

SWAP_WORK = 200_000_000
"""Trials times what one average over S costs: some ten seconds, on every machine the same trials."""

OUT, IN = 6, 4
"""How many of the worst elements are tried for leaving, and of the best for coming in their place."""

_GATHERED = 1 << 15  # values looked up at once, in cache


def is_listed(group: Group) -> bool:
    """Whether the whole group is listed."""
    return group.log_order <= math.log(LARGEST_ORDER) + 1e-9


class WorstCase(Objective):
    """Energies of a set of ranks, by functions of all ranks averaged over S and back."""

    orders = (2, 3, 4, 6, 8, 12, 16, 24)
    order: int
    tried, new_last = IN, True

    @property
    def greedy_order(self) -> int:  # type: ignore[override]
        """k in proportion to log |G|.

        An irrep of dimension 1 is one part in |G| of the energy. It is seen where its norm is above the
        others' by a factor of |G|^(1/2k): that must not grow with the group.
        """
        return max(GREEDY_ORDER, round(GREEDY_ORDER * math.log(self.order) / math.log(720)))

    @property
    def places(self) -> Places:
        """All elements, any number of times."""
        return Places(self.order)

    @abstractmethod
    def score(self, chosen: Elements, k: int) -> Values:
        """D (D* D)^(k-1) e for S = chosen, by rank, up to a factor."""

    @abstractmethod
    def cost(self, m: int) -> int:
        """Steps of one average over m elements."""

    def scores(self, chosen: Elements, k: int, out: int | None = None) -> Scores:
        return self.score(chosen if out is None else np.delete(chosen, out), k).__getitem__

    def exchange_order(self, chosen: Elements, k: int, after: int = -1) -> Sequence[int]:
        """The worst, the worst of all first."""
        return first_least(-self.score(chosen, k)[chosen], OUT).tolist()

    def tries(self, m: int) -> int:
        return min(MOST_TRIES, SWAP_WORK // self.cost(m))

    def norm(self, chosen: Elements) -> float:
        """An estimate of the deviation, from two energies: their ratio forgets multiplicities."""
        low, high = (self.energy(chosen, k) for k in NORM_ORDERS)
        return (high / low) ** (0.5 / (NORM_ORDERS[1] - NORM_ORDERS[0])) if low > 0.0 else 0.0


@final
class Characters(WorstCase):
    """Abelian groups: the energy is the sum of |f|^(2k) over the characters, f the transform of S.

    With a degree, over the characters with at most so many non-zero frequencies.
    """

    def __init__(self, moduli: tuple[int, ...], degree: int | None = None) -> None:
        self._moduli = moduli
        self.order = math.prod(moduli)
        shape = (*moduli[:-1], moduli[-1] // 2 + 1)
        weight = np.zeros(shape, np.int64)
        for axis, n in enumerate(shape):
            used = np.arange(n) > 0
            weight += used.reshape([-1 if i == axis else 1 for i in range(len(shape))])
        self._kept = (weight > 0) & (weight <= (len(moduli) if degree is None else degree))

    def cost(self, m: int) -> int:
        """A score is two transforms, whatever its order."""
        return 2 * self.order

    def score(self, chosen: Elements, k: int) -> Values:
        transform = self._transform(chosen)
        weighted = transform * (np.abs(transform) / len(chosen)) ** (2 * k - 2)
        axes = tuple(range(len(self._moduli)))
        return np.fft.irfftn(weighted, self._moduli, axes).reshape(-1)

    def energy(self, chosen: Elements, k: int) -> float:
        sizes = (np.abs(self._transform(chosen)) / len(chosen)) ** (2 * k)
        last = self._moduli[-1]
        # a frequency and its negative, of which one is kept
        weights = np.full(sizes.shape[-1], 2.0)
        weights[0] = 1.0
        if last % 2 == 0:
            weights[-1] = 1.0
        return float((sizes * weights).sum()) / self.order

    def _transform(self, chosen: Elements) -> NDArray[np.complex128]:
        counts = np.bincount(chosen, minlength=self.order).astype(np.float64).reshape(self._moduli)
        return np.fft.rfftn(counts) * self._kept


@final
class Translations(WorstCase):
    """Any group that can be listed: averages by gathering along left translations, cached by element."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self.order = group.order
        self._there: dict[int, NDArray[np.int32]] = {}
        self._back: dict[int, NDArray[np.int32]] = {}

    def cost(self, m: int) -> int:
        return m * self.order

    def score(self, chosen: Elements, k: int) -> Values:
        return self._chain(chosen, 2 * k - 1)

    def energy(self, chosen: Elements, k: int) -> float:
        """The squared length of ... D* D e, k factors."""
        f = self._chain(chosen, k)
        return float(f @ f)

    def _chain(self, chosen: Elements, length: int) -> Values:
        """D e, D* D e, D D* D e and so on."""
        tables = self._tables(chosen)
        f = np.full(self.order, -1.0 / self.order)
        f[0] += 1.0
        step = max(1, _GATHERED // self.order)
        blocks = [[np.array(t[at : at + step]) for at in range(0, len(t), step)] for t in tables]
        for number in range(length):
            f = _sum(blocks[number % 2], f) / len(chosen)
        return f

    def _tables(self, chosen: Elements) -> tuple[list[NDArray[np.int32]], list[NDArray[np.int32]]]:
        """rank(g^-1 x) and rank(g x) for every x, for the g in S."""
        missing = [rank for rank in dict.fromkeys(chosen.tolist()) if rank not in self._there]
        if missing:
            elements = self._group._unrank(np.array(missing))
            inverses = self._group._inverse(elements)
            for table, rows in ((self._there, elements), (self._back, inverses)):
                table.update(zip(missing, left_translations(self._group, rows), strict=True))
        ranks = chosen.tolist()
        return [self._back[rank] for rank in ranks], [self._there[rank] for rank in ranks]


def _sum(blocks: list[NDArray[np.int32]], f: Values) -> Values:
    """The sum of f along these translations; its mean is 0 but for rounding, which would stay."""
    total = np.zeros_like(f)
    for block in blocks:
        total += f[block[0]] if len(block) == 1 else f[block].sum(axis=0)
    total -= total.mean()
    return total


def worst_case(group: Group, m: int, degree: int | None = None) -> WorstCase:
    """The objective for m elements of a group; by degree for abelian groups only."""
    found = Translations(group) if group.moduli is None else Characters(group.moduli, degree)
    # 2k - 1 averages for each element in turn, over half of them on average; 10 ns a step
    announce(
        f"the search for m={shorten(m)} of the {group.order} elements of {group.name}",
        seconds=1e-8 * (2 * found.greedy_order - 1) * m * found.cost(max(1, m // 2)),
        memory=8.0 * m * group.order if group.moduli is None else 0.0,
        instead="lower m, give degree=, or draw a pool and use thin with degree=.",
    )
    return found
