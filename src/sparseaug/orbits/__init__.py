"""How a function varies over orbits, and whether data are as likely after a move.

invariance     model(g x) beside model(x), for every g of a group or sample
orbit_spectrum how the variance of a model over orbits is shared between degrees
measure        the same of any function: at which elements, and the spectrum from values there
models         how a model is called
symmetry_test  test_invariance: an exact p-value that data are invariant
moves          which moves of the data make it exact
statistics     how far data, and all moved data, are from their orbit average
pilot          how the gradient of a risk varies over the group, and what an accuracy takes by that
"""

from sparseaug.orbits.invariance import InvarianceReport, assert_invariant, invariance_error
from sparseaug.orbits.orbit_spectrum import orbit_spectrum
from sparseaug.orbits.pilot import Pilot, pilot
from sparseaug.orbits.symmetry_test import InvarianceTest, test_invariance
from sparseaug.spectral.spectrum import Prediction, Spectrum

__all__ = [
    "InvarianceReport",
    "InvarianceTest",
    "Pilot",
    "Prediction",
    "Spectrum",
    "assert_invariant",
    "invariance_error",
    "orbit_spectrum",
    "pilot",
    "test_invariance",
]
