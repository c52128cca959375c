"""Groups and sources: every callable and parameter x every bad value, a typed error that names it.

What an entry point takes for good is fine: 3 in an array is an integer. Anything else must be refused
by an error of this library whose message holds the parameter's name and stays short.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

import sparseaug as sa
from sparseaug import groups, sources
from sparseaug.errors import SparseAugError
from sparseaug.groups import young


class Evil:
    """Nothing it is asked works."""

    __hash__ = object.__hash__

    def _fail(self, *given: Any) -> Any:
        raise RuntimeError("evil")

    __getattr__ = __repr__ = __len__ = __iter__ = __index__ = __float__ = __eq__ = _fail


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def read_only() -> np.ndarray:
    array = np.arange(3)
    array.flags.writeable = False
    return array


BAD: dict[str, Any] = {
    **{str(v): v for v in (None, ..., -1, 0, 0.5, -(10**30), 10**9, 10**12, 2**63, 1e308)},
    **{name: float(name) for name in ("nan", "inf", "-inf")},
    **{f"integer of {k} digits": 10**k for k in (400, 5000)},
    "True": True,
    "True of NumPy": np.True_,
    "complex": 1 + 2j,
    "complex of NumPy": np.complex64(1j),
    "fraction": Fraction(1, 2),
    **{repr(v): v for v in ("", "abc", "3", b"abc", [], (), {}, {1, 2}, {"a": 1}, range(3))},
    "a million letters": "x" * 10**6,
    "a million zeros": [0] * 10**6,
    "ragged": [[0, 1], [1]],
    "nested 50 deep": nested(50),
    "nested 50000 deep": nested(50_000),
    "list of text": ["a", "b"],
    "list of None": [None, None],
    "object": object(),
    "function": nested,
    "class": int,
    "module": sys,
    "evil": Evil(),
    "0-d array": np.array(3),
    "0-d text": np.array("3"),
    "float array": np.array([0.5, 1.5]),
    "NaN array": np.array([[np.nan]]),
    "complex array": np.array([1j]),
    "object array": np.array([object()]),
    "text array": np.array(["a"]),
    "truth array": np.array([True, False]),
    "dates": np.array(["2020"], "M8[D]"),
    "empty array": np.empty((0,)),
    "empty rows": np.empty((0, 3)),
    "4-d array": np.zeros((1, 1, 1, 1)),
    "beyond int64": np.array([[2**63]], np.uint64),
    "near int64": np.array([[2**62, 2**62, 0]]),
    "negative": np.array([[-1, -2, -3]]),
    "read-only": read_only(),
    "strided": np.arange(12)[::2],
    "records": np.zeros(2, [("a", int)]),
    "masked": np.ma.masked_array([1, 2], [0, 1]),
    "tensor with gradient": torch.zeros(2, requires_grad=True),
    "tensor": torch.zeros((1, 3), dtype=torch.int64),
    "graph": nx.path_graph(2),
    "group": sa.symmetric(3),
}
CELL = (3 * np.eye(3), [[0, 0, 0]], [1])
S3 = sa.symmetric(3)

# what is called, good arguments, and other words that may name one
TARGETS: dict[str, tuple[Callable[..., Any], dict[str, Any], tuple[str, ...]]] = {
    **{
        name: (getattr(sa, name), {"n": 3}, ("modulus",))
        for name in ("symmetric", "alternating", "hyperoctahedral", "dihedral", "cyclic")
    },
    "sign_flips": (sa.sign_flips, {"d": 3}, ()),
    "abelian": (lambda moduli: sa.abelian(2, moduli), {"moduli": 3}, ("modulus",)),
    "mathieu": (sa.mathieu, {"n": 11}, ()),
    "direct_product": (lambda factor: sa.direct_product(S3, factor), {"factor": S3}, ()),
    "permutation_group": (sa.permutation_group, {"generators": [[1, 0]], "label": ""}, ()),
    "a generator": (
        lambda g: sa.permutation_group([[1, 0, 2], g]),
        {"g": [1, 0, 2]},
        ("generators",),
    ),
    "matrix_group": (sa.matrix_group, {"matrices": [[[1.0]]], "label": ""}, ()),
    "table_group": (sa.table_group, {"table": [[0]], "label": ""}, ()),
    "group": (sa.group, {"name": "S3"}, ()),
    "from_dict": (groups.from_dict, {"data": {"name": "S3"}}, ()),
    **{
        f"from_dict {key}": (
            lambda data, key=key: groups.from_dict({key: data, "label": ""}),
            {"data": good},
            ("generators", "matrices", "table", "name"),
        )
        for key, good in {
            "name": "S3",
            "product": [{"name": "S3"}, {"name": "S4"}],
            "permutations": [[1, 0]],
            "matrices": [[[1.0]]],
            "table": [[0]],
        }.items()
    },
    "format_order": (groups.format_order, {"group": S3}, ()),
    "Abelian": (groups.Abelian, {"moduli": (2, 3)}, ("modulus",)),
    "Symmetric": (groups.Symmetric, {"n": 3, "even": False}, ()),
    "Dihedral": (groups.Dihedral, {"n": 3}, ()),
    "Hyperoctahedral": (groups.Hyperoctahedral, {"n": 3}, ()),
    "PermutationGroup": (groups.PermutationGroup, {"images": ((1, 0),), "label": ""}, ()),
    "Product": (groups.Product, {"factors": (S3, S3)}, ("factor",)),
    "TableGroup": (groups.TableGroup, {"products": ((0,),), "entries": (), "label": ""}, ()),
    "partitions": (young.partitions, {"n": 4}, ()),
    "each_partition": (lambda n: next(young.each_partition(n)), {"n": 4}, ()),
    **{
        name: (getattr(young, name), {"partition": (2, 1)}, ())
        for name in ("dimension", "conjugate", "restrict", "extend", "tableaux")
    },
    "young_matrices": (
        young.young_matrices,
        {"partition": (2, 1), "permutations": [[1, 0, 2]]},
        ("permutations",),
    ),
    "crystal": (sources.crystal, {"cell": CELL, "symprec": 1e-3}, ()),
    **{
        f"crystal {i}": (
            lambda cell, i=i: sources.crystal((*CELL[:i], cell, *CELL[i + 1 :])),
            {"cell": CELL[i]},
            (),
        )
        for i in range(3)
    },
    "MoveSites": (
        sources.MoveSites,
        {"group": sa.table_group([[0]]), "images": ((0, 1),), "rotations": (), "rank": 1},
        (),
    ),
    "TurnTensors": (
        sources.TurnTensors,
        {
            "group": sa.table_group([[0]]),
            "rotations": (((1, 0, 0), (0, 1, 0), (0, 0, 1)),),
            "rank": 1,
        },
        (),
    ),
    "tensors": (sources.crystal(CELL).tensors, {"rank": 2, "sites": True}, ()),
    "graph_automorphisms": (
        sources.graph_automorphisms,
        {"graph": nx.path_graph(3), "node_attr": None, "edge_attr": None, "backend": "search"},
        (),
    ),
}
for g in (
    *(sa.symmetric(3), sa.alternating(4), sa.hyperoctahedral(2), sa.dihedral(4), sa.cyclic(5)),
    *(sa.abelian(2, 3), sa.group("S3xZ2^2"), sa.cube_rotations()),
    sa.permutation_group([[1, 2, 0]], label="turns"),
):
    e = g.identity()
    TARGETS |= {
        f"{g.name}.compose": (g.compose, {"a": e, "b": e}, ()),
        f"{g.name}.inverse": (g.inverse, {"a": e}, ()),
        f"{g.name}.sample": (g.sample, {"k": 1, "rng": np.random.default_rng(0)}, ()),
        f"{g.name}.unrank": (g.unrank, {"ranks": 0}, ()),
        f"{g.name}.elements": (
            lambda limit, block, g=g: next(g.elements(limit=limit, block=block)),
            {"limit": 100, "block": 10},
            (),
        ),
        f"{g.name}.from_digits": (g.from_digits, {"digits": g.to_digits(e)}, ()),
        **{
            f"{g.name}.{name}": (getattr(g, name), {"elements": e}, ("permutations",))
            for name in ("rank", "check", "contains", "to_digits", "permutations", "split")
            if hasattr(g, name) and (name != "permutations" or g.degree)
        },
    }
    if g.name not in ("turns", "Cube24"):
        *_, last = g.irreps()
        TARGETS[f"{g.name} irrep"] = (last.matrices, {"elements": e}, ("permutations",))


@pytest.mark.parametrize(
    ("target", "parameter"), [(t, p) for t, (_, good, _) in TARGETS.items() for p in good]
)
def test_bad_input_is_refused_by_name(target: str, parameter: str) -> None:
    call, good, others = TARGETS[target]
    refused = 0
    for name, value in [*BAD.items(), ("generator", (i for i in range(3)))]:
        try:
            call(**{**good, parameter: value})
        except SparseAugError as error:
            refused += 1
            message = str(error)
            words = "|".join((parameter, *others))
            assert re.search(rf"\b({words})\b", message), (name, message)
            assert len(message) < 600, name
        except Exception as error:
            pytest.fail(f"{target}({parameter}={name}) raises {error!r}")
    assert refused >= 40
