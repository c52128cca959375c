"""How good is S: the norm of D_S = Pi_S - Pi_G, exact, rigorous, restricted.

deviation   deviation(S): the best method for the group; words; how it is known
profiles    profile(S): norms and mean squares degree by degree
draw_until  draw until the deviation is small enough
generation  whether S can work at all
methods     the methods, in order of preference

abelian         means of characters
dihedral        signs and turns
young           S_n and A_n: every irrep, by Clausen's recursion
rotations       SO(2), SO(3), O(2), O(3), by degree or for primes
irreps          groups whose irreps are known, and tensor products of them
regular         any group that can be listed
coordinates     functions of few coordinates
tuples          of points, and the modules that they span
representation  a given linear action

norm      what is known of a norm, and by which kind of knowledge
verified  the norm of a matrix, proved by a Cholesky factorisation with every rounding added
lanczos   the norm of an operator that is never formed, certain or with a stated probability
threads   of the linear algebra library
"""

from sparseaug.norms.deviation import Deviation, deviation
from sparseaug.norms.draw_until import Drawn, draw_until
from sparseaug.norms.methods import METHODS, best_method
from sparseaug.norms.norm import LongRunWarning
from sparseaug.norms.profiles.profile import profile
from sparseaug.norms.profiles.result import Profile

__all__ = [
    "METHODS",
    "Deviation",
    "Drawn",
    "LongRunWarning",
    "Profile",
    "best_method",
    "deviation",
    "draw_until",
    "profile",
]
