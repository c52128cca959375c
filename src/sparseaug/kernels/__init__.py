"""Function spaces in which the constants of the paper are numbers, and exact means over the group.

gaussian     the Gaussian kernel: Gram matrices, group means, second moments
mixture      the normalised diagonal spectral-mixture kernel of the appendix
invariance   whether an action leaves a kernel as it is, and which component says no
on_points    the same on the points that a claim is about
expansions   functions sum_i c_i k(., z_i): values, inner products, norms
closed_form  E over the group of a Gaussian kernel without enumeration  (permanents)
enumeration  the same for any kernel and any small group, in blocks
moments      (A, v, s) over data and transformations: all of G, or a sample S
constants    B, L and the initial gap of f(x) = sum_r a_r b_r k(x, z_r) under squared loss
discrepancy  how far S is from G on the data at hand
variation    the part of a function that varies over orbits, bounded from S
"""

from sparseaug.kernels.base import Kernel
from sparseaug.kernels.constants import (
    GradientNorms,
    box_bound,
    gradient_norms,
    initial_gap,
    smoothness_bound,
    smoothness_of_moments,
)
from sparseaug.kernels.discrepancy import Discrepancy, kernel_discrepancy
from sparseaug.kernels.expansions import Expansion
from sparseaug.kernels.gaussian import GaussianKernel
from sparseaug.kernels.invariance import Invariance
from sparseaug.kernels.mixture import SpectralMixtureKernel
from sparseaug.kernels.moments import Moments, full_moments, sample_moments
from sparseaug.kernels.on_points import invariance_on

__all__ = [
    "Discrepancy",
    "Expansion",
    "GaussianKernel",
    "GradientNorms",
    "Invariance",
    "Kernel",
    "Moments",
    "SpectralMixtureKernel",
    "box_bound",
    "full_moments",
    "gradient_norms",
    "initial_gap",
    "invariance_on",
    "kernel_discrepancy",
    "sample_moments",
    "smoothness_bound",
    "smoothness_of_moments",
]
