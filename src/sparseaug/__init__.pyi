"""The public names of `sparseaug` for type checkers; a test compares them with those of `__init__.py`.

Where a module is called as its function, the import names the module, so that the reference finds the
function. Packages that are imported from "." can be reached as attributes and are not in `dir`.
"""

from sparseaug import errors as errors
from sparseaug import theory as theory
from sparseaug.actions import custom_action as custom_action
from sparseaug.actions import flip as flip
from sparseaug.actions import flip_signs as flip_signs
from sparseaug.actions import move_grid as move_grid
from sparseaug.actions import permute_axis as permute_axis
from sparseaug.actions import permute_nodes as permute_nodes
from sparseaug.actions import product_action as product_action
from sparseaug.actions import roll as roll
from sparseaug.actions import rotate_grid as rotate_grid
from sparseaug.actions import signed_permute as signed_permute
from sparseaug.actions.affine import random_affine as random_affine
from sparseaug.actions.color import random_color as random_color
from sparseaug.actions.linear import linear as linear
from sparseaug.actions.random import random_transform as random_transform
from sparseaug.actions.rotate import rotate as rotate
from sparseaug.actions.together import together as together
from sparseaug.certificate.accuracy import audit_risk as audit_risk
from sparseaug.certificate.algorithm import one_shot as one_shot
from sparseaug.certificate.certify import certify as certify
from sparseaug.descent import descend as descend
from sparseaug.designs.choose import choose as choose
from sparseaug.designs.design import design as design
from sparseaug.designs.inspect import inspect as inspect
from sparseaug.designs.records import records as records
from sparseaug.designs.thin import thin as thin
from sparseaug.groups import alternating as alternating
from sparseaug.groups import cyclic as cyclic
from sparseaug.groups import direct_product as direct_product
from sparseaug.groups import grid_symmetries as grid_symmetries
from sparseaug.groups import group as group
from sparseaug.groups import matrix_group as matrix_group
from sparseaug.groups import permutation_group as permutation_group
from sparseaug.groups import sign_flips as sign_flips
from sparseaug.groups import table_group as table_group
from sparseaug.groups.abelian import abelian as abelian
from sparseaug.groups.dihedral import dihedral as dihedral
from sparseaug.groups.hyperoctahedral import hyperoctahedral as hyperoctahedral
from sparseaug.groups.rotations import orthogonal as orthogonal
from sparseaug.groups.rotations import rotations as rotations
from sparseaug.groups.symmetric import symmetric as symmetric
from sparseaug.kernels import GaussianKernel as GaussianKernel
from sparseaug.kernels import SpectralMixtureKernel as SpectralMixtureKernel
from sparseaug.norms.deviation import deviation as deviation
from sparseaug.norms.draw_until import draw_until as draw_until
from sparseaug.norms.profiles.profile import profile as profile
from sparseaug.plans.pilot import pilot as pilot
from sparseaug.plans.plan import plan as plan
from sparseaug.qmc.orders import orders as orders
from sparseaug.qmc.report import orders_report as orders_report
from sparseaug.qmc.signs import signs as signs
from sparseaug.risk import KernelModel as KernelModel
from sparseaug.risk import augmented_risk as augmented_risk
from sparseaug.risk import custom_risk as custom_risk
from sparseaug.sampling import GroupSample as GroupSample
from sparseaug.sampling import Oracle as Oracle
from sparseaug.sampling import SampleTable as SampleTable
from sparseaug.sampling.augment import augment as augment
from sparseaug.spectrum import invariance_error as invariance_error
from sparseaug.spectrum import test_invariance as test_invariance
from sparseaug.spectrum.orbit_spectrum import orbit_spectrum as orbit_spectrum

from . import actions as actions
from . import certificate as certificate
from . import descent as descent
from . import designs as designs
from . import groups as groups
from . import kernels as kernels
from . import nn as nn
from . import norms as norms
from . import plans as plans
from . import qmc as qmc
from . import risk as risk
from . import sampling as sampling
from . import sklearn as sklearn
from . import sources as sources
from . import spectrum as spectrum
from . import testing as testing
from . import views as views

__version__: str
