"""Figures and pages for people.

charts         what is drawn, for the figures and the page
figures        the charts on paper: the paper's figure, certified bounds next to the truth
tables         what the page shows in numbers
markup         HTML that escapes by construction
page           report.html
owned          files that are replaced only if we wrote them
write          all of it into a folder
study          the study: csv files, figures, study.html
"""

from studies.report.study import check_study, write_study
from studies.report.write import check_report, write_report

__all__ = ["check_report", "check_study", "write_report", "write_study"]
