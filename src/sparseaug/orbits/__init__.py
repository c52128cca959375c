"""How a function varies over orbits.

invariance  model(g x) beside model(x), for every g of a group or sample
report      what was found, element by element
spectrum    how the variance over orbits is shared between degrees, and what averages leave of it
models      how a model is called
"""

from sparseaug.orbits.invariance import assert_invariant, invariance_error
from sparseaug.orbits.report import InvarianceReport
from sparseaug.orbits.spectrum import Choice, Prediction, Spectrum, choose, orbit_spectrum

__all__ = [
    "Choice",
    "InvarianceReport",
    "Prediction",
    "Spectrum",
    "assert_invariant",
    "choose",
    "invariance_error",
    "orbit_spectrum",
]
