"""Function spaces in which the constants of the paper are numbers, and exact means over the group.

gaussian     the Gaussian kernel: Gram matrices, group means, second moments
moments      (A, v, s) over data and transformations: all of G, or a sample S
constants    B, L and the initial gap of f(x) = sum_r a_r b_r k(x, z_r) under squared loss
discrepancy  how far S is from G on the data at hand, and what of a function varies over orbits
arrays            data as float64
base              what a kernel is, and whether an action leaves it as it is, on given points too
group_means       E over the group of a kernel: enumerated, or Gaussian in closed form (permanents)
"""

from sparseaug.kernels.base import Invariance, Kernel, invariance_on
from sparseaug.kernels.constants import (
    GradientNorms,
    box_bound,
    gradient_norms,
    initial_gap,
    smoothness_bound,
    smoothness_of_moments,
)
from sparseaug.kernels.discrepancy import Discrepancy, kernel_discrepancy
from sparseaug.kernels.gaussian import GaussianKernel, SpectralMixtureKernel
from sparseaug.kernels.moments import Moments, full_moments, sample_moments

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
    "sample_moments",
    "smoothness_bound",
    "smoothness_of_moments",
]
