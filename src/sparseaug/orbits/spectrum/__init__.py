"""How much a function varies over the group, degree by degree, and what that predicts.

orbit_spectrum  of a model, from its outputs at moved inputs
measure         which elements to evaluate at, and the spectrum from values there: for any function
result          Spectrum, Prediction
pairs           the fit to pairs of values
units           what a spectrum is made of; shapes, shifts and products have those of their groups
"""

from sparseaug.orbits.spectrum.orbit_spectrum import orbit_spectrum
from sparseaug.orbits.spectrum.result import Prediction, Spectrum

__all__ = ["Prediction", "Spectrum", "orbit_spectrum"]
