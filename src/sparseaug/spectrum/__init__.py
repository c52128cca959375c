"""How a function varies over a group, and whether data are as likely after a move.

invariance      model(g x) next to model(x), for every g of a group or sample
orbit_spectrum  how the variance of a model over orbits is shared between degrees
measure         the same of any function: at which elements, and the spectrum from values there
pairs           the spectrum from pairs of values: a fit, and its replicates
one_sided       the same where places are kept, for functions of an order
spectrum        the variance of a function by degree, and what an average over S leaves of it
models          how a model is called
symmetry_test   test_invariance: an exact p-value that data are invariant
moves           which moves of the data make it exact
statistics      how far data, and all moved data, are from their orbit average
"""

from sparseaug.spectrum.invariance import InvarianceReport, invariance_error
from sparseaug.spectrum.one_sided import OneSidedSpectrum
from sparseaug.spectrum.orbit_spectrum import orbit_spectrum
from sparseaug.spectrum.pool import PoolSpectrum
from sparseaug.spectrum.spectrum import Prediction, Spectrum
from sparseaug.spectrum.symmetry_test import InvarianceTest, test_invariance

__all__ = [
    "InvarianceReport",
    "InvarianceTest",
    "OneSidedSpectrum",
    "PoolSpectrum",
    "Prediction",
    "Spectrum",
    "invariance_error",
    "orbit_spectrum",
    "test_invariance",
]
