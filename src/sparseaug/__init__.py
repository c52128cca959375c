"""One-shot sparse augmentation over finite groups.

A finite group G acts on the data. Draw one multiset S of m elements, before training, and reuse it:
`sparseaug` draws S, counts what that cost, says how good S is, and trains on it.

errors    typed errors: cause and remedy
groups    finite groups: order, compose, inverse, uniform sample, rank
actions   how a group element moves an array
sampling  the oracle that counts, and S as data
theory    the paper's bounds: numbers in, numbers out
spectral  how good S is: the norm of Pi_S - Pi_G, exactly
designs   S by construction and by search
planning  m and T for a group, by each method
kernels   invariant kernels and exact means over the group
risk      R_n, R_n^S, R_n^G: value and gradient
descent   none, full, streaming and one-shot in one loop
certificate  what holds at the returned iterate, and how we know
testing   checks for your own groups, actions and oracles
nn        the PyTorch layer (import sparseaug.nn)
sklearn   the scikit-learn layer (import sparseaug.sklearn)
sources   symmetries of graphs and crystals (import sparseaug.sources)
cli       the command line
"""

import importlib
from typing import TYPE_CHECKING, Any

from sparseaug import errors, theory
from sparseaug.actions import (
    Action,
    custom_action,
    flip_signs,
    linear,
    move_grid,
    permute_axis,
    permute_nodes,
    product_action,
    roll,
    rotate_grid,
    signed_permute,
    together,
)
from sparseaug.groups import (
    Group,
    abelian,
    alternating,
    cube_rotations,
    cube_symmetries,
    cyclic,
    dicyclic,
    dihedral,
    direct_product,
    grid_symmetries,
    group,
    hyperoctahedral,
    mathieu,
    matrix_group,
    permutation_group,
    rubik,
    sign_flips,
    symmetric,
    table_group,
)
from sparseaug.sampling import GroupSample, Oracle, augment

if TYPE_CHECKING:
    from sparseaug.certificate import Certificate, Evidence, certify
    from sparseaug.descent import box, descend
    from sparseaug.designs import design, designs, thin
    from sparseaug.kernels import GaussianKernel, SpectralMixtureKernel
    from sparseaug.orbits import InvarianceReport, assert_invariant, invariance_error
    from sparseaug.planning import Plan, plan
    from sparseaug.risk import KernelModel, augmented_risk, streaming_risk
    from sparseaug.spectral import Deviation, deviation, draw_until, word_deviation

__version__ = "0.1.0"

__all__ = [
    "Action",
    "Certificate",
    "Deviation",
    "Evidence",
    "GaussianKernel",
    "Group",
    "GroupSample",
    "InvarianceReport",
    "KernelModel",
    "Oracle",
    "Plan",
    "SpectralMixtureKernel",
    "abelian",
    "alternating",
    "assert_invariant",
    "augment",
    "augmented_risk",
    "box",
    "certify",
    "cube_rotations",
    "cube_symmetries",
    "custom_action",
    "cyclic",
    "descend",
    "design",
    "designs",
    "deviation",
    "dicyclic",
    "dihedral",
    "direct_product",
    "draw_until",
    "errors",
    "flip_signs",
    "grid_symmetries",
    "group",
    "hyperoctahedral",
    "invariance_error",
    "linear",
    "mathieu",
    "matrix_group",
    "move_grid",
    "permutation_group",
    "permute_axis",
    "permute_nodes",
    "plan",
    "product_action",
    "roll",
    "rotate_grid",
    "rubik",
    "sign_flips",
    "signed_permute",
    "streaming_risk",
    "symmetric",
    "table_group",
    "theory",
    "thin",
    "together",
    "word_deviation",
]


_LATER = {
    "Certificate": "certificate",
    "Evidence": "certificate",
    "certify": "certificate",
    "Deviation": "spectral",
    "GaussianKernel": "kernels",
    "InvarianceReport": "orbits",
    "KernelModel": "risk",
    "Plan": "planning",
    "SpectralMixtureKernel": "kernels",
    "assert_invariant": "orbits",
    "augmented_risk": "risk",
    "box": "descent",
    "descend": "descent",
    "design": "designs",
    "designs": "designs",
    "thin": "designs",
    "deviation": "spectral",
    "draw_until": "spectral",
    "invariance_error": "orbits",
    "kernels": "kernels",
    "nn": "nn",
    "plan": "planning",
    "sklearn": "sklearn",
    "sources": "sources",
    "streaming_risk": "risk",
    "word_deviation": "spectral",
}


def __getattr__(name: str) -> Any:
    """Names of the upper rooms on first use: they need SciPy, which takes half a second to import."""
    if name not in _LATER:
        raise AttributeError(f"module 'sparseaug' has no attribute {name!r}")
    room = importlib.import_module(f"sparseaug.{_LATER[name]}")
    return room if name == _LATER[name] else getattr(room, name)
