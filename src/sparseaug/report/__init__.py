"""Figures and pages for people. Only this package imports matplotlib, when a figure is drawn.

plan_figure    oracle calls against eps, for each method of a plan
style, charts  how a line looks; what is drawn, for the figures and the page
figure         size, type and frame of every figure
figures        the charts on paper: the paper's figure, certified bounds beside the truth
tables         what the page shows in numbers
markup         HTML that escapes by construction
page           report.html
owned          files that are replaced only if we wrote them
write          all of it into a folder
study          the study: csv files, figures, study.html
"""

from sparseaug.report.plan_figure import save_plan_figure
from sparseaug.report.study import check_study, write_study
from sparseaug.report.write import check_report, write_report

__all__ = ["check_report", "check_study", "save_plan_figure", "write_report", "write_study"]
