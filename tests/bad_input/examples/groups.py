"""Good arguments for groups and actions: each family of groups, each action."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import numpy as np

import sparseaug as sa
from sparseaug import actions, groups
from tests.bad_input.judge import Example, Fresh, Table
from tests.conftest import ACTIONS

S3, S4 = sa.symmetric(3), sa.symmetric(4)
X = np.random.default_rng(0).uniform(-1, 1, (5, 4))
ACT = sa.permute_axis(S4)
MOVED = ("array of NaN", "complex array", "complex tensor", "tensor without memory")  # data
FAMILIES = (  # one of each kind of row, then those whose own methods alone are shown
    *(S3, sa.hyperoctahedral(2), sa.dihedral(4), sa.abelian(2, 3), sa.group("S3xZ2^2")),
    *(sa.alternating(4), sa.cyclic(5), sa.grid_symmetries(3)),
    *(groups.cube_rotations(), sa.permutation_group([[1, 2, 0]], label="turns")),
)
FINITE = "compose inverse sample unrank check distance irreps_to closure rank contains to_digits"
INFINITE = (
    "compose inverse sample check distance irreps_to contains to_digits matrices canonical "
    "dimensions_by_degree"
)
DICTS: dict[str, Any] = {
    **{"name": "S3", "product": [{"name": "S3"}, {"name": "S4"}], "permutations": [[1, 0]]},
    **{"matrices": [[[1.0]]], "table": [[0]]},
}
good = Table(
    {
        **{"k": 1, "rng": Fresh(lambda: np.random.default_rng(0)), "ranks": 0, "limit": 100},
        **{"block": 10, "degree": 1, "by": None, "whole": False, "n": 3, "d": 3, "label": ""},
        **{"generators": [[1, 0]], "matrices": [[[1.0]]], "table": [[0]], "action": ACT, "x": X},
        **{"seed": 0, "pairs": 2, "a": S4.identity(), "b": S4.identity()},
    },
    takes={"x": MOVED, "ranks": ("array", "list")},
)


def of_family(g: Any) -> Any:
    e = g.identity()
    named = g.name not in ("turns", "Cube24")
    at = {"elements": e, "also": "permutations"}
    for name in filter(partial(hasattr, g), FINITE.split()):
        yield good(getattr(g, name), a=e, b=e, **at)
    yield good(g.elements, via=lambda **given: next(g.elements(**given)))
    if g.points:
        yield good(g.permutations, **at)
    if g.highest_degree:
        yield good(g.dimensions_by_degree)
    if named:
        yield good(g.degrees)


def of_families() -> Any:
    shown: set[str] = set()
    for place, g in enumerate(FAMILIES):
        for example in of_family(g):
            if place < 5 or example.key not in shown:
                shown.add(example.key)
                yield example


def of_rotations(g: Any) -> Any:
    """What rotations have that other groups do not, and what they share."""
    e = g.identity()
    at = {"elements": e, "a": e, "b": e, "matrices": np.eye(g.n)[None], "degree": 2}
    for name in filter(partial(hasattr, g), INFINITE.split()):
        takes = {"elements": ("array of NaN", "tensor of NaN")} if name == "contains" else {}
        yield good(getattr(g, name), takes=takes, **at)


def several(call: Any, name: str, first: tuple[Any, ...], also: str, value: Any) -> Example:
    """A function of any number of arguments, the last of which is bad."""
    return good(call, via=lambda **given: call(*first, given[name]), also=also, **{name: value})


def of_groups() -> Any:
    for call in (sa.symmetric, sa.alternating, sa.hyperoctahedral, sa.dihedral, sa.cyclic):
        yield good(call, also="modulus")
    yield from map(good, (sa.grid_symmetries, sa.sign_flips, sa.rotations, sa.permutation_group))
    yield from map(good, (sa.matrix_group, sa.table_group))
    yield good(groups.mathieu, n=11)
    yield good(sa.orthogonal, n=2)
    yield several(sa.abelian, "moduli", (2,), "modulus", 3)
    yield several(sa.direct_product, "factors", (S3,), "factor", S3)
    yield good(
        sa.permutation_group,
        "generators",
        via=lambda generators: sa.permutation_group([[1, 0, 2], generators]),
        generators=[1, 0, 2],
    )
    yield good(sa.group, name="S3")
    yield good(groups.from_dict, data={"name": "S3"})
    yield good(groups.as_group, "given", given="S3", also="group name")
    for part, value in DICTS.items():
        yield good(
            groups.from_dict,
            via=lambda data, part=part: groups.from_dict({part: data, "label": ""}),
            data=value,
            also="generators matrices table name",
        )


def of_makers() -> Any:
    """Functions whose arguments are fields of the action that they make: an example of each is known."""
    known = {type(action): action for action, _ in ACTIONS.values()}
    for make in filter(inspect.isfunction, vars(actions).values()):
        signature = inspect.signature(make, eval_str=True)
        action = known.get(signature.return_annotation)
        facts = {name: getattr(action, name, None) for name in signature.parameters}
        if "axis" in facts and hasattr(action, "axes"):
            facts["axis"] = action.axes[0]
        if make is not sa.linear and action is not None and None not in facts.values():
            yield good(make, **facts)


def of_actions() -> Any:
    flips, grid = sa.sign_flips(4), sa.grid_symmetries(3)
    yield from of_makers()
    yield good(sa.rotate, group=sa.rotations(3), axis=-1, rank=2)
    yield good(sa.rotate_grid, group=sa.dihedral(4), axes=(-2, -1), vectors=1)
    yield good(sa.move_grid, group=grid, axes=(-2, -1), vectors=1)
    yield good(sa.linear, group=groups.cube_rotations(), matrices=None)
    yield good(sa.product_action, a=ACT, b=sa.flip_signs(flips))
    yield good(sa.custom_action, group=S4, function=ACT)
    yield good(
        sa.random_transform,
        **{"function": lambda x, rng: x, "batch": False, "name": "f"},
    )
    pairs = dict.fromkeys(("degrees", "translate", "shear"), ("pair", "huge pair"))
    ranges = {"degrees": 30, "translate": 0.1, "scale": (0.8, 1.2), "shear": 5}
    yield good(sa.random_affine, **ranges, takes=pairs)
    yield good(sa.random_color, brightness=0.1, contrast=0.1, saturation=0.1, clip=True)
    affine = sa.random_affine(degrees=30)
    yield good(affine.distribution.quantile, u=[[0.5] * 5])
    yield good(affine.distribution.sample, k=3, rng=np.random.default_rng(0))
    row = affine.distribution.example()
    yield good(affine.distribution.check, "elements", elements=row)
    yield good(affine.distribution.contains, elements=row)
    yield good(groups.distribution_from_dict, data={"seeds": "f"})
    yield several(sa.together, "actions", (ACT,), "action", ACT)
    named = {"named": ACT, "also": "action"}
    yield good(sa.together, "named", via=lambda named: sa.together(named=named, other=ACT), **named)
    random = sa.random_transform(lambda x, rng: x)
    known = {type(action): (action, x) for action, x in ACTIONS.values()}
    del known[actions.custom.CustomAction]  # what its function raises is passed on
    for action, x in (
        *known.values(),
        *((sa.rotate(sa.orthogonal(3)), np.ones((5, 3))), (affine, np.ones((2, 3, 3)))),
        *((random, X), (sa.random_color(0.1), np.ones((2, 3, 3, 3)))),
        (sa.product_action(affine, sa.flip()), np.ones((2, 3, 3))),
    ):
        at = {"elements": action.distribution.example(), "x": x}
        yield good(action, **at, also="S")
        yield good(action.rows, **at, also="S")
        yield good(action.over, x=x, takes={"x": ("everything",)})  # the form, not the data


EXAMPLES = [
    *(*of_groups(), *of_families(), *of_actions()),
    *(example for name in ("SO2", "SO3", "O2", "O3") for example in of_rotations(sa.group(name))),
]
