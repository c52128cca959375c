"""Function spaces in which the constants of the paper are numbers, and exact means over the group.

base         what a kernel is
gaussian     the Gaussian kernel: Gram matrices, group means, second moments
mixture      the spectral-mixture kernel of the paper's remark
invariance   whether an action leaves a kernel as it is, on given points too
group_means  E over the group of a kernel: enumerated, or Gaussian in closed form
permanents   permanents of many small matrices, for these means
moments      (A, v, s) over data and transformations: all of G, or a sample S
constants    B, L and the initial gap of f(x) = sum_r a_r b_r k(x, z_r) under squared loss
orbits       how far the points of an orbit lie from its mean
discrepancy  how far S is from G on the data at hand
variation    what of a function varies over orbits, bounded from S
arrays       data as float64
"""

from sparseaug.kernels.base import Invariance, Kernel
from sparseaug.kernels.constants import (
    GradientNorms,
    box_bound,
    gradient_norms,
    initial_gap,
    smoothness_bound,
    smoothness_of_moments,
)
from sparseaug.kernels.discrepancy import Discrepancy, kernel_discrepancy
from sparseaug.kernels.gaussian import GaussianKernel
from sparseaug.kernels.invariance import invariance_on
from sparseaug.kernels.mixture import SpectralMixtureKernel
from sparseaug.kernels.moments import Moments, full_moments, sample_moments
from sparseaug.kernels.orbits import orbit_variances

__all__ = [
    "Discrepancy",
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
    "orbit_variances",
    "sample_moments",
    "smoothness_bound",
    "smoothness_of_moments",
]
