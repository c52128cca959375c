"""How many draws and steps a group needs, by each method, before anything is drawn.

table      a plan: its rows, for people and as JSON data
dimension  the sum of irrep dimensions of a group, which the sharper bound needs
methods    one row for each method
draws      how many elements a deviation takes
plan       plan(group, ...): the rows side by side
pilot      how the gradient of a risk varies over the group, and what an accuracy takes by that
"""

from sparseaug.plans.dimension import degree_dimension_sum
from sparseaug.plans.methods import SampledWords, sampled_words
from sparseaug.plans.pilot import Pilot, pilot
from sparseaug.plans.plan import plan
from sparseaug.plans.table import Plan, PlanRow

__all__ = [
    "Pilot",
    "Plan",
    "PlanRow",
    "SampledWords",
    "degree_dimension_sum",
    "pilot",
    "plan",
    "sampled_words",
]
