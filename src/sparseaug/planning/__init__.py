"""How many draws and steps a group needs, by each method, before anything is drawn.

dimension  the sum of irrep dimensions of a group, which the sharper bound needs
degrees    the same over the irreps of low degree
words      words over S: how many random ones suffice
methods    one row for each method
constants  C, B, L and gap, and whether they are bounds or estimates
draws      how many elements a deviation takes
plan       plan(group, ...): the rows side by side
typical    how many draws typically reach a deviation: an expectation
table      the plan for people
numbers    integers of any size, for people and for JSON
"""

from sparseaug.planning.constants import Constants
from sparseaug.planning.degrees import degree_dimension_sum
from sparseaug.planning.dimension import dimension_sum, dimension_sum_is_exact
from sparseaug.planning.draws import DrawPlan, DrawRow
from sparseaug.planning.methods import MethodPlan, Problem
from sparseaug.planning.plan import Plan, plan
from sparseaug.planning.words import SampledWords, sampled_words

__all__ = [
    "Constants",
    "DrawPlan",
    "DrawRow",
    "MethodPlan",
    "Plan",
    "Problem",
    "SampledWords",
    "degree_dimension_sum",
    "dimension_sum",
    "dimension_sum_is_exact",
    "plan",
    "sampled_words",
]
