"""Figures and pages for people. Only this package imports matplotlib, when a figure is drawn.

plan_figure         oracle calls against eps, for each method of a plan
results             results.json as checked data
style, figure       colours and names; size, type and frame of every figure
figures             the paper's figure
certificate_figure  certified bounds beside the truth
markup              HTML that escapes by construction
charts, tables      what the page shows; page.js draws the charts
page                report.html
owned               files that are replaced only if we wrote them
write               all of it into a folder
"""

from sparseaug.report.plan_figure import save_plan_figure
from sparseaug.report.write import check_report, write_report

__all__ = ["check_report", "save_plan_figure", "write_report"]
