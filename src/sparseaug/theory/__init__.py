"""What the paper promises: numbers in, numbers out. One function for each displayed result.

Upper bounds are rounded up and lower bounds down, each to the nearest float on the safe side;
integers are the smallest that satisfy their inequality between real numbers. Nothing overflows:
|G| is an integer of up to a million digits, and delta any float between 0 and 1.

    one_shot          prop:spectral-approximation, thm:app-tw: m draws against the whole group;
                      thm:uniform-gradient-approximation, thm:main, cor:app-main-complexity
    sharp             the same with Bernstein's inequality left as it is; any eps from fixed draws
    dimensions        sums of irrep dimensions, which the sharper bound needs
    streaming         prop:app-group-sgd, lem:app-gd-rate, eq:app-full-gd-rate
    costs             tab:nonconvex-comparison
    _interval         directed rounding and checks, shared
"""

from sparseaug.theory.costs import Crossovers, MethodCost, comparison, crossovers
from sparseaug.theory.dimensions import (
    abelian_dimension_sum,
    dihedral_dimension_sum,
    dimension_sum_bound,
    hyperoctahedral_dimension_sum,
    involutions,
    product_dimension_sum,
    sign_flips_dimension_sum,
    signed_involutions,
    symmetric_dimension_sum,
)
from sparseaug.theory.one_shot import (
    deviation_bound,
    deviation_floor,
    deviation_sample_size,
    failure_probability,
    gradient_bound,
    num_steps,
    sample_size,
    smallest_eps,
    stationarity_bound,
    stationarity_given,
)
from sparseaug.theory.sharp import (
    WordsPlan,
    sharp_deviation_bound,
    sharp_deviation_sample_size,
    sharp_failure_probability,
    sharp_sample_size,
    word_deviation,
    word_length,
    words_plan,
)
from sparseaug.theory.streaming import (
    SGDPlan,
    full_gd_bound,
    full_gd_steps,
    gd_rate,
    sgd_bound,
    sgd_plan,
)

__all__ = [
    "Crossovers",
    "MethodCost",
    "SGDPlan",
    "WordsPlan",
    "abelian_dimension_sum",
    "comparison",
    "crossovers",
    "deviation_bound",
    "deviation_floor",
    "deviation_sample_size",
    "dihedral_dimension_sum",
    "dimension_sum_bound",
    "failure_probability",
    "full_gd_bound",
    "full_gd_steps",
    "gd_rate",
    "gradient_bound",
    "hyperoctahedral_dimension_sum",
    "involutions",
    "num_steps",
    "product_dimension_sum",
    "sample_size",
    "sgd_bound",
    "sgd_plan",
    "sharp_deviation_bound",
    "sharp_deviation_sample_size",
    "sharp_failure_probability",
    "sharp_sample_size",
    "sign_flips_dimension_sum",
    "signed_involutions",
    "smallest_eps",
    "stationarity_bound",
    "stationarity_given",
    "symmetric_dimension_sum",
    "word_deviation",
    "word_length",
    "words_plan",
]
