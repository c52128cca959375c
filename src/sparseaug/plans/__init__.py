"""How many draws and steps a group needs, by each method, before anything is drawn.

plan       plan(group, ...): what a gradient norm or a deviation costs, by each method
steps      the rows for a gradient norm
numbers    what they are made of, checked
one_kernel those of them that need no |G|: one kernel, products, mini-batch
draws      the rows for a deviation
dimension  the sum of irrep dimensions of a group, which the sharper bound needs
pilot      how the gradient of a risk varies over the group, and what an accuracy takes by that
curvature  the largest curvature of a risk
table      a plan: its rows, for people and as JSON data
"""

from sparseaug.plans.dimension import degree_dimension_sum
from sparseaug.plans.pilot import Pilot, pilot
from sparseaug.plans.plan import plan
from sparseaug.plans.table import Plan, PlanRow

__all__ = [
    "Pilot",
    "Plan",
    "PlanRow",
    "degree_dimension_sum",
    "pilot",
    "plan",
]
