"""Checks for your own groups, actions and oracles; each raises a `LawError` that names the law.

laws     what a group and an action must keep
uniform  whether a sampler is uniform
"""

from sparseaug.testing.laws import check_action, check_group, check_oracle
from sparseaug.testing.uniform import check_uniform

__all__ = ["check_action", "check_group", "check_oracle", "check_uniform"]
