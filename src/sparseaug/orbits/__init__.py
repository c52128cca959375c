"""How a function varies over orbits.

invariance  model(g x) beside model(x), for every g of a group or sample
report      what was found, element by element
models      how a model is called
"""

from sparseaug.orbits.invariance import assert_invariant, invariance_error
from sparseaug.orbits.report import InvarianceReport

__all__ = ["InvarianceReport", "assert_invariant", "invariance_error"]
