"""Good arguments for groups and actions: each family of groups, each action."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

import sparseaug as sa
from sparseaug import actions, groups
from tests.bad_input.judge import Example, Fresh, key
from tests.conftest import ACTIONS

S3, S4, C2 = sa.symmetric(3), sa.symmetric(4), sa.table_group([[0]])
X = np.random.default_rng(0).uniform(-1, 1, (5, 4))
ACT = sa.permute_axis(S4)
TURN = sa.rotate_grid(sa.dihedral(4))
MOVED = ("array of NaN", "complex array", "complex tensor", "tensor without memory")  # data
FAMILIES = (  # one of each kind of row, then those whose own methods alone are shown
    *(S3, sa.hyperoctahedral(2), sa.dihedral(4), sa.abelian(2, 3), sa.group("S3xZ2^2")),
    *(sa.alternating(4), sa.cyclic(5), sa.grid_symmetries(3)),
    *(sa.groups.cube_rotations(), sa.permutation_group([[1, 2, 0]], label="turns")),
)
DICTS = {
    "name": "S3",
    "product": [{"name": "S3"}, {"name": "S4"}],
    "permutations": [[1, 0]],
    "matrices": [[[1.0]]],
    "table": [[0]],
}


def of_family(g: sa.groups.Group) -> Iterator[Example]:
    e = g.identity()
    yield Example(g.compose, {"a": e, "b": e})
    yield Example(g.inverse, {"a": e})
    yield Example(g.sample, {"k": 1, "rng": Fresh(lambda: np.random.default_rng(0))})
    yield Example(g.unrank, {"ranks": 0}, takes={"ranks": ("array", "list")})
    yield Example(
        lambda limit, block: next(g.elements(limit=limit, block=block)),
        {"limit": 100, "block": 10},
        of="groups.Group.elements",
    )
    yield Example(g.check, {"elements": e})
    yield Example(g.distance, {"a": e, "b": e})
    yield Example(g.irreps_to, {"degree": 1})
    if g.highest_degree:
        yield Example(g.dimensions_by_degree, {"degree": 1})
    if g.name not in ("turns", "Cube24"):
        yield Example(g.degrees, {"by": None, "whole": False})
    yield Example(g.closure, {"elements": e})
    for name in ("rank", "contains", "to_digits", "permutations", "split", "lines"):
        if hasattr(g, name) and (name != "permutations" or g.points):
            yield Example(getattr(g, name), {"elements": e}, also=("permutations",))
    for irrep in list(g.irreps())[-1:] if g.name not in ("turns", "Cube24") else ():
        yield Example(irrep.matrices, {"elements": e}, of="an irrep", also=("permutations",))


def of_families() -> Iterator[Example]:
    shown: set[str] = set()
    for place, g in enumerate(FAMILIES):
        for example in of_family(g):
            if place < 5 or example.key not in shown:
                shown.add(example.key)
                yield example


def of_rotations(g: sa.groups.Group) -> Iterator[Example]:
    """What rotations have that other groups do not, and what they share."""
    e = g.identity()
    yield Example(
        g.contains, {"elements": e}, takes={"elements": ("array of NaN", "tensor of NaN")}
    )
    for name in ("check", "to_digits", "matrices", "canonical"):
        yield Example(getattr(g, name), {"elements": e})
    yield Example(g.compose, {"a": e, "b": e})
    yield Example(g.inverse, {"a": e})
    yield Example(g.distance, {"a": e, "b": e})
    yield Example(g.sample, {"k": 1, "rng": Fresh(lambda: np.random.default_rng(0))})
    yield Example(g.irreps_to, {"degree": 2})
    yield Example(g.dimensions_by_degree, {"degree": 2})
    irrep = list(g.irreps_to(2))[-1]
    yield Example(irrep.matrices, {"elements": e}, of="an irrep")


def from_dict(part: str) -> Example:
    return Example(
        lambda data: groups.from_dict({part: data, "label": ""}),
        {"data": DICTS[part]},
        of=key(groups.from_dict),
        also=("generators", "matrices", "table", "name"),
    )


def of_makers() -> Iterator[Example]:
    """Functions whose arguments are fields of the action that they make: an example of each is known."""
    known = {type(action): action for action, _ in ACTIONS.values()}
    for make in filter(inspect.isfunction, vars(actions).values()):
        signature = inspect.signature(make, eval_str=True)
        action, names = known.get(signature.return_annotation), signature.parameters
        own = make is sa.linear  # takes other things than it keeps
        if action is None or own:
            continue
        facts = {name: getattr(action, name) for name in names if hasattr(action, name)}
        if "axis" in names and hasattr(action, "axes"):
            facts["axis"] = action.axes[0]
        if set(facts) == set(names):
            yield Example(make, facts)


def of_actions() -> Iterator[Example]:
    flips, signs, grid = sa.sign_flips(4), sa.hyperoctahedral(4), sa.grid_symmetries(3)
    yield from of_makers()
    yield Example(sa.rotate, {"group": sa.rotations(3), "axis": -1, "rank": 2})
    yield Example(sa.rotate_grid, {"group": sa.dihedral(4), "axes": (-2, -1), "vectors": 1})
    yield Example(sa.move_grid, {"group": grid, "axes": (-2, -1), "vectors": 1})
    yield Example(sa.linear, {"group": sa.groups.cube_rotations(), "matrices": None})
    yield Example(sa.product_action, {"a": ACT, "b": sa.flip_signs(flips)})
    yield Example(
        sa.custom_action,
        {"group": S4, "function": lambda g, x: x[:, np.argsort(g)].swapaxes(0, 1), "samples": X},
        also=("function", "x"),
        takes={"samples": MOVED},
    )
    for action, x in (
        (ACT, X),
        (sa.permute_nodes(S4), X[None, :4]),
        (sa.flip_signs(flips), X),
        (sa.signed_permute(signs), X),
        (sa.roll(sa.cyclic(4), (1,)), X),
        (TURN, np.ones((2, 3, 3))),
        (sa.move_grid(grid), np.ones((2, 3, 3))),
        (sa.linear(sa.groups.cube_rotations()), np.ones((5, 3))),
        (sa.rotate(sa.orthogonal(3)), np.ones((5, 3))),
        (sa.product_action(ACT, sa.flip_signs(sa.sign_flips(5), 1)), np.ones((2, 5, 4))),
    ):
        e = action.group.identity()
        yield Example(
            action,
            {"elements": e, "x": x},
            of="actions.Action.__call__",
            also=("S",),
            takes={"x": MOVED},
        )
        yield Example(action.rows, {"elements": e}, also=("S",))
        yield Example(action.over, {"x": x}, takes={"x": ("everything",)})  # the form, not the data
    yield Example(
        lambda actions: sa.together(ACT, actions),
        {"actions": ACT},
        of=key(sa.together),
        also=("action",),
    )
    yield Example(
        lambda named: sa.together(named=named, other=ACT),
        {"named": ACT},
        of=key(sa.together),
        also=("action",),
    )
    e = S4.identity()
    data = {"x": MOVED}
    yield Example(actions.broken_law, {"action": ACT, "x": X, "a": e, "b": e}, takes=data)
    yield Example(actions.require_law, {"action": ACT, "x": X, "seed": 0, "pairs": 2}, takes=data)


def built(call: Any, also: tuple[str, ...] = (), **good: Any) -> Example:
    return Example(call, good, also=also)


EXAMPLES = [
    *(
        built(call, n=3, also=("modulus",))
        for call in (
            sa.symmetric,
            sa.alternating,
            sa.hyperoctahedral,
            sa.dihedral,
            sa.cyclic,
        )
    ),
    built(sa.grid_symmetries, n=3),
    built(sa.sign_flips, d=3),
    built(sa.groups.mathieu, n=11),
    Example(
        lambda moduli: sa.abelian(2, moduli), {"moduli": 3}, of=key(sa.abelian), also=("modulus",)
    ),
    Example(
        lambda factors: sa.direct_product(S3, factors),
        {"factors": S3},
        of=key(sa.direct_product),
        also=("factor",),
    ),
    built(sa.permutation_group, generators=[[1, 0]], label=""),
    Example(
        lambda generators: sa.permutation_group([[1, 0, 2], generators]),
        {"generators": [1, 0, 2]},
        of=key(sa.permutation_group),
    ),
    built(sa.matrix_group, matrices=[[[1.0]]], label=""),
    built(sa.table_group, table=[[0]], label=""),
    built(sa.group, name="S3"),
    built(groups.from_dict, data={"name": "S3"}),
    *(from_dict(part) for part in DICTS),
    built(groups.as_group, given="S3", also=("group", "name")),
    *of_families(),
    *(example for name in ("SO2", "SO3", "O2", "O3") for example in of_rotations(sa.group(name))),
    built(sa.rotations, n=3),
    built(sa.orthogonal, n=2),
    *of_actions(),
]
