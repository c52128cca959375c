"""What the paper promises: numbers in, numbers out. One function for each displayed result.

Upper bounds are rounded up and lower bounds down, each to the nearest float on the safe side;
integers are the smallest that satisfy their inequality between real numbers. Nothing overflows:
|G| is an integer of up to a million digits, and delta any float between 0 and 1.

    one_shot          prop:spectral-approximation, thm:app-tw: m draws against the whole group;
                      thm:uniform-gradient-approximation, thm:main, cor:app-main-complexity
    sharp             the same with Bernstein's inequality left as it is
    words             any eps from fixed draws
    dimensions        sums of irrep dimensions, which the sharper bound needs
    dimension_free    the gradient's error without log|G|, for one kernel
    matrix_kernels    the same for a matrix-valued kernel
    products          the same from log2(m) oracle calls
    minibatch         stochastic steps over data and a fixed S
    streaming         prop:app-group-sgd, lem:app-gd-rate, eq:app-full-gd-rate
    costs             tab:nonconvex-comparison
    _interval         enclosures by rationals
    _letters          the range of each letter of the paper

What a module lists in `__all__` is public here, in the reference and in the tests of bad arguments.
"""

from sparseaug.theory import (
    costs,
    dimension_free,
    dimensions,
    matrix_kernels,
    minibatch,
    one_shot,
    products,
    sharp,
    streaming,
    words,
)
from sparseaug.theory.costs import *
from sparseaug.theory.dimension_free import *
from sparseaug.theory.dimensions import *
from sparseaug.theory.matrix_kernels import *
from sparseaug.theory.minibatch import *
from sparseaug.theory.one_shot import *
from sparseaug.theory.products import *
from sparseaug.theory.sharp import *
from sparseaug.theory.streaming import *
from sparseaug.theory.words import *

__all__: list[str] = []
__all__ += costs.__all__
__all__ += dimension_free.__all__
__all__ += dimensions.__all__
__all__ += matrix_kernels.__all__
__all__ += minibatch.__all__
__all__ += one_shot.__all__
__all__ += products.__all__
__all__ += sharp.__all__
__all__ += streaming.__all__
__all__ += words.__all__
