"""How a function varies over orbits.

invariance  model(g x) beside model(x), for every g of a group or sample
report      what was found, element by element
"""

from sparseaug.errors import need

# first torch, then nn, whose checks `invariance` uses and whose adapters use `invariance`
need("torch", "sparseaug.orbits", extra="sparseaug[torch]")
need("sparseaug.nn", "sparseaug.orbits", extra="sparseaug[torch]")

from sparseaug.orbits.invariance import assert_invariant, invariance_error
from sparseaug.orbits.report import InvarianceReport

__all__ = ["InvarianceReport", "assert_invariant", "invariance_error"]
