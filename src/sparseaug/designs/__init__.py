"""S by design: better than luck, exact where it counts, at no oracle call.

best           design(group, ...), designs(group): the best known S
smallest       choose: the smallest S for an error, by the spectrum of a model
thin           the best m elements of a pool
inspection     what a given list of elements misses, and which design to use instead
offers         what is known for a group, as a table
catalogue      the table of all constructions
records        the best known sets, with proofs and lower bounds
arrays         orthogonal arrays of mixed levels
rotations      solids, unions of cosets, integer quaternions, even angles
permutations   sets that move tuples evenly
shifts         orthogonal arrays, flat spectra, the best lattice of shifts
search         greedy choice and swaps in groups that can be listed
descent        permutations and sign flips too many to list, by small moves
"""

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from sparseaug.designs.best import design, designs
from sparseaug.designs.inspection import Inspection, Instead, inspect
from sparseaug.designs.offers import Designs
from sparseaug.designs.records import Record, records
from sparseaug.designs.smallest import Choice, choose
from sparseaug.designs.thin import thin
from sparseaug.groups import Group

__all__ = [
    "Choice",
    "Inspection",
    "Instead",
    "Record",
    "choose",
    "design",
    "designs",
    "inspect",
    "records",
    "thin",
]


class _Callable(ModuleType):
    """`sparseaug.designs` is this package and, by its public name, the function: it can be called."""

    def __call__(self, group: Group) -> Designs:
        """As `designs.designs`."""
        return designs(group)

    def __reduce__(self) -> tuple[Callable[[str], ModuleType], tuple[str]]:
        """By its name, as plain modules travel to the worker processes of joblib."""
        return import_module, (__name__,)


sys.modules[__name__].__class__ = _Callable
