"""Figures and pages for people. Only this room imports matplotlib, when a figure is drawn.

plan_figure  oracle calls against eps, for each method of a plan
"""

from sparseaug.report.plan_figure import save_plan_figure

__all__ = ["save_plan_figure"]
