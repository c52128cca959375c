"""How good is S: the norm of D_S = Pi_S - Pi_G, exact, rigorous, restricted.

result      what is known of a norm, and by which kind of knowledge
deviation   deviation(S): the best method for the group; words
until       draw until the deviation is small enough
subgroup    whether S can work at all
verified    a spectral norm with a proof
effort      what a computation will take, said before it starts
blocks      from Fourier blocks to the norm; groups whose irreps are known
characters  abelian groups by FFT                (character_fft, character_blocks, roots)
walsh       sign flips, exactly                  (hadamard)
dihedral    two FFTs
symmetric   S_n and A_n by Clausen's recursion   (clausen, cosets, induction, kernels_*)
regular     any group that can be enumerated     (lanczos)
modules     functions of a few coordinates at a time
acting      the irreps of a given linear action
"""

from sparseaug.spectral.deviation import best_method, deviation, word_deviation
from sparseaug.spectral.effort import LongRunWarning
from sparseaug.spectral.result import Deviation
from sparseaug.spectral.until import Drawn, draw_until

__all__ = [
    "Deviation",
    "Drawn",
    "LongRunWarning",
    "best_method",
    "deviation",
    "draw_until",
    "word_deviation",
]
