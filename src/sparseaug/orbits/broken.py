"""Which symmetries the data break: one exact test per subgroup, corrected for their number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from sparseaug._checks import check_real
from sparseaug._tables import Shown, Table
from sparseaug.actions import Action, Array
from sparseaug.actions.base import require_action
from sparseaug.errors import ArgumentError, shorten, shorten_text
from sparseaug.groups import Group
from sparseaug.orbits.symmetry_test import InvarianceTest, test_invariance
from sparseaug.sampling import GroupSample

_LISTED = 1 << 12  # elements of a factor up to which it is one subgroup, and not its generators


@final
@dataclass(frozen=True, eq=False)
class BrokenSymmetries(Shown):
    """One test per subgroup, and which of them fail together; made by `broken_symmetries`.

    Attributes:
        tests: name of each subgroup and its `InvarianceTest`
        adjusted: the p-values times what Holm's method asks for, so that all of them can be compared
            with one level: with probability 1 - level no subgroup is called broken that is not
        level: of all tests together
    """

    tests: Mapping[str, InvarianceTest]
    adjusted: Mapping[str, float]
    level: float

    @property
    def broken(self) -> tuple[str, ...]:
        """The subgroups under which the data are not invariant."""
        return tuple(name for name, p in self.adjusted.items() if p <= self.level)

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON data."""
        tests = {name: test.to_dict() for name, test in self.tests.items()}
        return {
            "level": self.level,
            "broken": list(self.broken),
            "adjusted": dict(self.adjusted),
            "tests": tests,
        }

    def _table(self) -> Table:
        rows = [
            (
                shorten_text(name, 40),
                str(test.order),
                f"{test.pvalue:.4g}",
                f"{self.adjusted[name]:.4g}",
                "broken" if name in self.broken else "",
            )
            for name, test in self.tests.items()
        ]
        return Table(("symmetry", "order", "p", "adjusted", ""), rows)


def broken_symmetries(
    x: Array,
    action: Action,
    subgroups: Mapping[str, Any] | None = None,
    *,
    level: float = 0.05,
    **options: Any,
) -> BrokenSymmetries:
    """Which of some subgroups the data break, at one level for all tests together (Holm 1979).

    Args:
        x: samples (n, ...)
        action: how a group element moves a sample
        subgroups: name and subgroup of each: a `GroupSample`, or rows that generate it. By default the
            factors of a product, and else the cyclic subgroup of each of the group's generators
        level: probability that any subgroup is called broken under which the data are invariant
        options: those of `test_invariance`, but for S

    Returns:
        A `BrokenSymmetries`: `.broken`, `.tests`, a table by `str`.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).normal(size=(40, 3)) + [0, 0, 1.0]
        >>> act = sa.flip_signs(sa.sign_flips(3))
        >>> flips = {"x": [[1, 0, 0]], "y": [[0, 1, 0]], "z": [[0, 0, 1]]}
        >>> sa.orbits.broken_symmetries(x, act, flips).broken
        ('z',)
    """
    require_action(action)
    level = check_real("level", level, above=0, below=1)
    group = action.group
    chosen = _subgroups(group) if subgroups is None else _checked(group, subgroups)
    tests = {name: test_invariance(x, action, S, **options) for name, S in chosen.items()}
    ranked = sorted(tests, key=lambda name: tests[name].pvalue)
    adjusted, least = {}, 0.0
    for place, name in enumerate(ranked):
        least = max(least, min(1.0, (len(ranked) - place) * tests[name].pvalue))
        adjusted[name] = least
    return BrokenSymmetries(tests, {name: adjusted[name] for name in tests}, level)


def _subgroups(group: Group) -> dict[str, GroupSample]:
    found: dict[str, GroupSample] = {}
    generators = group.generators()
    first = 0
    for i, factor in enumerate(group.factors):
        last = first + factor.width
        rest = np.r_[0:first, last : group.width]
        own = generators[(generators[:, rest] == group.identity()[:, rest]).all(axis=1)]
        first = last
        if len(own) and factor.order <= _LISTED:
            found[f"{factor.name}[{i}]"] = GroupSample.generated(group, own)
        else:
            found |= _cyclic(group, own)
    return found or _cyclic(group, generators)


def _cyclic(group: Group, generators: Any) -> dict[str, GroupSample]:
    return {
        str(row.tolist()): GroupSample.generated(group, row[None]) for row in np.asarray(generators)
    }


def _checked(group: Group, subgroups: Any) -> dict[str, GroupSample]:
    if not isinstance(subgroups, Mapping) or not subgroups:
        raise ArgumentError(
            f"subgroups={shorten(subgroups)} is not a mapping of names to subgroups; give "
            '{"flip": rows that generate it, ...}.'
        )
    found = {}
    for name, given in subgroups.items():
        if not isinstance(name, str):
            raise ArgumentError(f"subgroups has the name {shorten(name)}; give names as text.")
        if not isinstance(given, GroupSample):
            rows = group.check(given, f"subgroups[{shorten(name)}]")
            given = GroupSample.generated(group, rows)
        found[name] = given
    return found
