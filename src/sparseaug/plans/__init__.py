"""How many draws and steps a group needs, by each method, before anything is drawn.

table      a plan: its rows, for people and as JSON data
dimension  the sum of irrep dimensions of a group, which the sharper bound needs
methods    one row for each method
draws      how many elements a deviation takes
plan       plan(group, ...): the rows side by side
"""

from sparseaug.plans.dimension import degree_dimension_sum
from sparseaug.plans.methods import SampledWords, sampled_words
from sparseaug.plans.plan import plan
from sparseaug.plans.table import Plan, PlanRow

__all__ = ["Plan", "PlanRow", "SampledWords", "degree_dimension_sum", "plan", "sampled_words"]
