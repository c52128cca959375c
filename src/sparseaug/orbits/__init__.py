"""How a function varies over orbits, and whether data are as likely after a move.

invariance     model(g x) beside model(x), for every g of a group or sample
spectrum       how the variance over orbits is shared between degrees, and what averages leave of it
models         how a model is called
symmetry_test  test_invariance: an exact p-value that data are invariant
moves          which moves of the data make it exact
statistics     how far data, and all moved data, are from their orbit average
pilot          how the gradient of a risk varies over the group, and what an accuracy takes by that
"""

from sparseaug.orbits.invariance import InvarianceReport, assert_invariant, invariance_error
from sparseaug.orbits.pilot import Pilot, pilot
from sparseaug.orbits.spectrum import Choice, Prediction, Spectrum, choose, orbit_spectrum
from sparseaug.orbits.symmetry_test import InvarianceTest, test_invariance

__all__ = [
    "Choice",
    "InvarianceReport",
    "InvarianceTest",
    "Pilot",
    "Prediction",
    "Spectrum",
    "assert_invariant",
    "choose",
    "invariance_error",
    "orbit_spectrum",
    "pilot",
    "test_invariance",
]
