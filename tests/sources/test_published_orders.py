"""Orders of automorphism groups of classic graphs, as published.

Orders are those of MathWorld, Wikipedia, Brouwer's tables (distance-regular and strongly regular
graphs), Foster's census (cubic symmetric graphs) and Frucht, Graver and Watkins 1971 (generalised
Petersen graphs).
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import networkx as nx
import pytest

from sparseaug.sources import graph_automorphisms


def lcf(n: int, shifts: list[int], repeats: int) -> Any:
    return nx.LCF_graph(n, shifts, repeats)


def disjoint_sets(sets: list[frozenset[int]]) -> Any:
    graph = nx.Graph()
    graph.add_nodes_from(sets)
    graph.add_edges_from((a, b) for a, b in combinations(sets, 2) if not a & b)
    return graph


FANO = {frozenset((i % 7, (i + 1) % 7, (i + 3) % 7)) for i in range(7)}


def coxeter() -> Any:
    """The triples of seven points that are no line of the Fano plane; edges: disjoint ones."""
    return disjoint_sets([s for s in map(frozenset, combinations(range(7), 3)) if s not in FANO])


def clebsch() -> Any:
    graph = nx.hypercube_graph(4)
    graph.add_edges_from((v, tuple(1 - b for b in v)) for v in list(graph))
    return graph


def paley(p: int) -> Any:
    return nx.Graph(nx.paley_graph(p))


PUBLISHED = {
    "Chvatal": (nx.chvatal_graph(), 8),
    "Desargues": (nx.desargues_graph(), 240),
    "dodecahedron": (nx.dodecahedral_graph(), 120),
    "Frucht": (nx.frucht_graph(), 1),
    "Heawood": (nx.heawood_graph(), 336),
    "Hoffman-Singleton": (nx.hoffman_singleton_graph(), 252000),
    "icosahedron": (nx.icosahedral_graph(), 120),
    "Moebius-Kantor": (nx.moebius_kantor_graph(), 96),
    "Pappus": (nx.pappus_graph(), 216),
    "Petersen": (nx.petersen_graph(), 120),
    "truncated cube": (nx.truncated_cube_graph(), 48),
    "cuboctahedron": (nx.line_graph(nx.cubical_graph()), 48),
    "icosidodecahedron": (nx.line_graph(nx.dodecahedral_graph()), 120),
    "Tutte": (nx.tutte_graph(), 3),
    "Groetzsch": (nx.mycielski_graph(4), 10),
    "Nauru": (lcf(24, [5, -9, 7, -7, 9, -5], 4), 144),
    "McGee": (lcf(24, [12, 7, -7], 8), 32),
    "Tutte-Coxeter": (lcf(30, [-13, -9, 7, -7, 9, 13], 5), 1440),
    "Dyck": (lcf(32, [5, -5, 13, -13], 8), 192),
    "F26A": (lcf(26, [-7, 7], 13), 78),
    "Gray": (lcf(54, [-25, 7, -7, 13, -13, 25], 9), 1296),
    "Foster": (lcf(90, [17, -9, 37, -37, 9, -17], 15), 4320),
    "Folkman": (lcf(20, [5, -7, -7, 5], 5), 3840),
    "Harries": (lcf(70, [-29, -19, -13, 13, 21, -27, 27, 33, -13, 13, 19, -21, -33, 29], 5), 120),
    "Tutte's 12-cage": (
        lcf(
            126,
            [17, 27, -13, -59, -35, 35, -11, 13, -53, 53, -27, 21, 57, 11, -21, -57, 59, -17],
            7,
        ),
        12096,
    ),
    "Coxeter": (coxeter(), 336),
    "Clebsch": (clebsch(), 1920),
    "Paley 13": (paley(13), 78),
    "Paley 29": (paley(29), 406),
    "Kneser (7, 3)": (nx.kneser_graph(7, 3), math.factorial(7)),
    "T(8)": (nx.line_graph(nx.complete_graph(8)), math.factorial(8)),
    "Q6": (nx.hypercube_graph(6), 2**6 * math.factorial(6)),
    "K(4, 4, 4)": (nx.complete_multipartite_graph(4, 4, 4), 24**3 * 6),
    "friendship graph of 6": (nx.windmill_graph(6, 3), 2**6 * math.factorial(6)),
    "Zachary's karate club": (nx.karate_club_graph(), 480),
    "Sudoku, 9 x 9": (nx.sudoku_graph(3), 3359232),
    "balanced tree of 40": (nx.balanced_tree(3, 3), 6 * 6**3 * 6**9),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_order_is_the_published_one(name: str) -> None:
    graph, order = PUBLISHED[name]
    assert graph_automorphisms(graph).group.order == order
