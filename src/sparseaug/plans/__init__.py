"""How many draws and steps a group needs, by each method, before anything is drawn.

dimension  the sum of irrep dimensions of a group, which the sharper bound needs
methods    one row for each method
draws      how many elements a deviation takes
plan       plan(group, ...): the rows side by side
table      the plan for people
figure     oracle calls against eps, as a picture
"""

from sparseaug.plans.dimension import degree_dimension_sum
from sparseaug.plans.draws import DrawPlan, DrawRow
from sparseaug.plans.methods import MethodPlan, Problem, SampledWords, sampled_words
from sparseaug.plans.plan import Plan, plan
from sparseaug.plans.table import Constants

__all__ = [
    "Constants",
    "DrawPlan",
    "DrawRow",
    "MethodPlan",
    "Plan",
    "Problem",
    "SampledWords",
    "degree_dimension_sum",
    "plan",
    "sampled_words",
]
