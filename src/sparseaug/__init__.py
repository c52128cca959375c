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
plans  m and T for a group, by each method
kernels   invariant kernels and exact means over the group
risk      R_n, R_n^S, R_n^G: value and gradient
descent   none, full, streaming and one-shot in one loop
certificate  what holds at the returned iterate, and how we know
orbits    how much a function varies over orbits
testing   checks for your own groups, actions and oracles
nn        the PyTorch layer (import sparseaug.nn)
sklearn   the scikit-learn layer (import sparseaug.sklearn)
sources   symmetries of graphs and crystals (import sparseaug.sources)
cli       the command line
"""

# ruff: noqa: I001  (imports as "X as X" are how type checkers know a name as public)
import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING, Any as _Any

# Two lists of the same names: type checkers read the imports, Python reads `_NAMES`, and a test
# compares them. A package is imported when one of its names is first used. Where a module is called
# as its function, the import names the module, so that the reference finds the function.
if _TYPE_CHECKING:
    from sparseaug import errors as errors
    from sparseaug import kernels as kernels
    from sparseaug import plans as plans
    from sparseaug import testing as testing
    from sparseaug import theory as theory
    from sparseaug.actions import (
        Action as Action,
        custom_action as custom_action,
        flip as flip,
        flip_signs as flip_signs,
        move_grid as move_grid,
        permute_axis as permute_axis,
        permute_nodes as permute_nodes,
        product_action as product_action,
        roll as roll,
        rotate_grid as rotate_grid,
        signed_permute as signed_permute,
        turn_vectors as turn_vectors,
    )
    from sparseaug.actions.linear import linear as linear
    from sparseaug.actions.rotate import rotate as rotate
    from sparseaug.actions.together import together as together
    from sparseaug.certificate import (
        Certificate as Certificate,
        Certificates as Certificates,
        Evidence as Evidence,
    )
    from sparseaug.certificate.certify import certify as certify
    from sparseaug.descent import (
        NonFiniteError as NonFiniteError,
        Run as Run,
        Trace as Trace,
        box as box,
        descend as descend,
    )
    from sparseaug.designs.choose import design as design, designs as designs
    from sparseaug.designs.inspection import Inspection as Inspection, Instead as Instead
    from sparseaug.designs.inspection import inspect as inspect
    from sparseaug.designs.thin import thin as thin
    from sparseaug.groups import (
        Group as Group,
        Irrep as Irrep,
        alternating as alternating,
        cube_rotations as cube_rotations,
        cube_symmetries as cube_symmetries,
        cyclic as cyclic,
        direct_product as direct_product,
        grid_symmetries as grid_symmetries,
        group as group,
        mathieu as mathieu,
        matrix_group as matrix_group,
        permutation_group as permutation_group,
        rubik as rubik,
        sign_flips as sign_flips,
        table_group as table_group,
    )
    from sparseaug.groups.abelian import abelian as abelian
    from sparseaug.groups.dicyclic import dicyclic as dicyclic
    from sparseaug.groups.dihedral import dihedral as dihedral
    from sparseaug.groups.hyperoctahedral import hyperoctahedral as hyperoctahedral
    from sparseaug.groups.rotations import orthogonal as orthogonal
    from sparseaug.groups.rotations import rotations as rotations
    from sparseaug.groups.symmetric import symmetric as symmetric
    from sparseaug.kernels import (
        GaussianKernel as GaussianKernel,
        SpectralMixtureKernel as SpectralMixtureKernel,
    )
    from sparseaug.orbits import (
        BrokenSymmetries as BrokenSymmetries,
        Choice as Choice,
        InvarianceReport as InvarianceReport,
        InvarianceTest as InvarianceTest,
        Pilot as Pilot,
        Prediction as Prediction,
        Spectrum as Spectrum,
        assert_invariant as assert_invariant,
        broken_symmetries as broken_symmetries,
        invariance_error as invariance_error,
        test_invariance as test_invariance,
    )
    from sparseaug.orbits.pilot import pilot as pilot
    from sparseaug.orbits.spectrum.choose import choose as choose
    from sparseaug.orbits.spectrum.orbit_spectrum import orbit_spectrum as orbit_spectrum
    from sparseaug.plans import Plan as Plan
    from sparseaug.plans.plan import plan as plan
    from sparseaug.risk import (
        DirectRisk as DirectRisk,
        KernelModel as KernelModel,
        MomentRisk as MomentRisk,
        StreamingRisk as StreamingRisk,
        augmented_risk as augmented_risk,
        streaming_risk as streaming_risk,
    )
    from sparseaug.sampling import (
        GroupSample as GroupSample,
        Oracle as Oracle,
        Origin as Origin,
    )
    from sparseaug.sampling.augment import augment as augment
    from sparseaug.sampling.augment import augment_batches as augment_batches
    from sparseaug.sources import identical_atoms as identical_atoms
    from sparseaug.spectral import (
        Deviation as Deviation,
        Drawn as Drawn,
        LongRunWarning as LongRunWarning,
        Profile as Profile,
        word_deviation as word_deviation,
    )
    from sparseaug.spectral.deviation import deviation as deviation
    from sparseaug.spectral.draw_until import draw_until as draw_until
    from sparseaug.spectral.profiles.profile import profile as profile

    __version__: str

_NAMES = {
    "actions": """
        Action custom_action flip flip_signs linear move_grid permute_axis permute_nodes
        product_action roll rotate rotate_grid signed_permute together turn_vectors
    """,
    "certificate": """
        Certificate Certificates Evidence certify
    """,
    "descent": """
        NonFiniteError Run Trace box descend
    """,
    "designs": """
        Inspection Instead design designs inspect thin
    """,
    "groups": """
        Group Irrep abelian alternating cube_rotations cube_symmetries cyclic dicyclic
        dihedral direct_product grid_symmetries group hyperoctahedral mathieu matrix_group
        orthogonal permutation_group rotations rubik sign_flips symmetric table_group
    """,
    "kernels": """
        GaussianKernel SpectralMixtureKernel
    """,
    "orbits": """
        BrokenSymmetries Choice InvarianceReport InvarianceTest Pilot
        Prediction Spectrum assert_invariant broken_symmetries choose invariance_error
        orbit_spectrum pilot test_invariance
    """,
    "plans": """
        Plan plan
    """,
    "risk": """
        DirectRisk KernelModel MomentRisk StreamingRisk augmented_risk streaming_risk
    """,
    "sampling": """
        GroupSample Oracle Origin augment augment_batches
    """,
    "sources": """
        identical_atoms
    """,
    "spectral": """
        Deviation Drawn LongRunWarning Profile deviation draw_until profile word_deviation
    """,
}
_PACKAGES = ["errors", "kernels", "plans", "testing", "theory"]
_EXTRAS = ["nn", "sklearn", "sources"]  # each needs an optional package
_HOME = {name: package for package, names in _NAMES.items() for name in names.split()}

__all__ = sorted([*_HOME, *_PACKAGES])


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]


def __getattr__(name: str) -> _Any:
    """A public name, or the version of the installed package."""
    if name in _HOME:
        return getattr(_importlib.import_module(f"sparseaug.{_HOME[name]}"), name)
    if name in _PACKAGES or name in _EXTRAS:
        return _importlib.import_module(f"sparseaug.{name}")
    if name == "__version__":
        return _importlib.import_module("importlib.metadata").version("sparseaug")
    raise AttributeError(f"module 'sparseaug' has no attribute {name!r}")
