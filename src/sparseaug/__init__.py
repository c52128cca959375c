"""One-shot sparse augmentation over groups.

A finite group G acts on the data. Draw one multiset S of m elements, before training, and reuse it:
`sparseaug` draws S, counts what that cost, says how good S is, and trains on it.

errors       typed errors: cause and remedy
_checks      every check of an argument, and the table of all limits of size
groups       finite groups and rotations: order, compose, inverse, uniform sample, rank, irreps
actions      how a group element moves an array
sampling     the oracle that counts, and S as data
qmc          orders and signs that are more even than random ones; engines in the style of scipy's
theory       the paper's bounds: numbers in, numbers out
norms        how good S is: the norm of Pi_S - Pi_G, exactly
search       greedy choice and exchange, for any objective
spectrum     how a function varies over a group, and whether data are invariant
designs      S by construction, by search, and the best sets known
plans        m and T for a group, by each method
kernels      invariant kernels and exact means over the group
risk         R_n, R_n^S, R_n^G: value and gradient
descent      none, full, streaming and one-shot in one loop
certificate  what holds at the returned iterate, and how we know
testing      checks for your own groups, actions and oracles
nn           the PyTorch layer (import sparseaug.nn)
sklearn      the scikit-learn layer (import sparseaug.sklearn)
views        values on moved copies, computed once and stored (import sparseaug.views)
sources      symmetries of graphs, crystals and molecules (import sparseaug.sources)
cli          the command line

Private beside these: _floats (directed rounding), _io and _archive (files that are whole or absent),
_tables, _records (the best known sets, in tables/).
"""

import importlib as _importlib
import threading as _threading
from typing import Any as _Any

__version__ = "1.0.0rc1"  # stated here, so that a clone that is not installed has one too

# Where each public name is; type checkers read the same list in the stub beside this file.
# A package is imported when one of its names is first used.
_NAMES = {
    "sparseaug": "errors theory",
    "sparseaug.actions": (
        "custom_action flip flip_signs move_grid permute_axis permute_nodes product_action "
        "roll rotate_grid signed_permute"
    ),
    "sparseaug.actions.affine": "random_affine",
    "sparseaug.actions.color": "random_color",
    "sparseaug.actions.linear": "linear",
    "sparseaug.actions.random": "random_transform",
    "sparseaug.actions.rotate": "rotate",
    "sparseaug.actions.together": "together",
    "sparseaug.qmc.orders": "orders",
    "sparseaug.qmc.report": "orders_report",
    "sparseaug.qmc.signs": "signs",
    "sparseaug.certificate.algorithm": "one_shot",
    "sparseaug.certificate.accuracy": "audit_risk",
    "sparseaug.certificate.certify": "certify",
    "sparseaug.descent": "descend",
    "sparseaug.designs.choose": "choose",
    "sparseaug.designs.design": "design",
    "sparseaug.designs.inspect": "inspect",
    "sparseaug.designs.records": "records",
    "sparseaug.designs.thin": "thin",
    "sparseaug.groups": (
        "alternating cyclic direct_product grid_symmetries group matrix_group "
        "permutation_group sign_flips table_group"
    ),
    "sparseaug.groups.abelian": "abelian",
    "sparseaug.groups.dihedral": "dihedral",
    "sparseaug.groups.hyperoctahedral": "hyperoctahedral",
    "sparseaug.groups.rotations": "orthogonal rotations",
    "sparseaug.groups.symmetric": "symmetric",
    "sparseaug.kernels": "GaussianKernel SpectralMixtureKernel",
    "sparseaug.spectrum": "invariance_error test_invariance",
    "sparseaug.spectrum.orbit_spectrum": "orbit_spectrum",
    "sparseaug.plans.pilot": "pilot",
    "sparseaug.plans.plan": "plan",
    "sparseaug.risk": "KernelModel augmented_risk custom_risk",
    "sparseaug.sampling": "GroupSample Oracle SampleTable",
    "sparseaug.sampling.augment": "augment",
    "sparseaug.norms.deviation": "deviation",
    "sparseaug.norms.draw_until": "draw_until",
    "sparseaug.norms.profiles.profile": "profile",
}
_EACH = (
    "actions certificate descent designs groups kernels nn norms plans qmc risk sampling sklearn "
    "sources spectrum testing views"
)
_PACKAGES = _EACH.split()
_HOME = {name: home for home, names in _NAMES.items() for name in names.split()}
_importing = _threading.RLock()

__all__ = sorted(_HOME)


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]


def __getattr__(name: str) -> _Any:
    """A public name, or a package."""
    if name in _PACKAGES or _HOME.get(name) == "sparseaug":
        return _module(f"sparseaug.{name}")
    if name in _HOME:
        return getattr(_module(_HOME[name]), name)
    raise AttributeError(f"module 'sparseaug' has no attribute {name!r}; see dir(sparseaug)")


def _module(path: str) -> _Any:
    """The module, its packages first and one thread at a time.

    A thread that imports a module holds its lock while it waits for that of the package, and one that
    imports the package the other way round: Python ends such a pair by an error.
    """
    with _importing:
        for end in [at for at, letter in enumerate(f"{path}.") if letter == "."]:
            module = _importlib.import_module(path[:end])
        return module
