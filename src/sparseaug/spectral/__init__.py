"""How good is S: the norm of D_S = Pi_S - Pi_G, exact, rigorous, restricted.

result      what is known of a norm, and by which kind of knowledge
methods     the methods, in order of preference
deviation   deviation(S): the best method for the group; words
profiles    profile(S): norms and mean squares degree by degree
draw_until  draw until the deviation is small enough
generation  whether S can work at all
effort      what a computation will take, said before it starts
verify      norms with a proof
abelian     shifts and sign flips: characters
young       S_n and A_n by Clausen's recursion
general     any group that can be listed, groups whose irreps are known, tuples, a given action
"""

from sparseaug.spectral.deviation import deviation, word_deviation
from sparseaug.spectral.draw_until import Drawn, draw_until
from sparseaug.spectral.effort import LongRunWarning
from sparseaug.spectral.methods import METHODS, best_method
from sparseaug.spectral.profiles.profile import profile
from sparseaug.spectral.profiles.result import Profile
from sparseaug.spectral.result import Deviation

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
    "word_deviation",
]
