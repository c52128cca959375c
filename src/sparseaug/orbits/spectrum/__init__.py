"""How much a function varies over the group, degree by degree, and what that predicts.

orbit_spectrum  of a model, from its outputs at moved inputs
choose          the cheapest S for an error
measure         which elements to evaluate at, and the spectrum from values there: for any function
result          Spectrum, Prediction
picture         the spectrum, and the error it predicts against m
units           what a spectrum is made of; shapes, shifts, products, bands and points have those of
                groups
"""

from sparseaug.orbits.spectrum.choose import Choice, choose
from sparseaug.orbits.spectrum.orbit_spectrum import orbit_spectrum
from sparseaug.orbits.spectrum.result import Prediction, Spectrum

__all__ = ["Choice", "Prediction", "Spectrum", "choose", "orbit_spectrum"]
