"""The paper's rates and bounds measured against exact truth: `python -m studies rates`.

part       what a part is: tasks, results, findings, tables, panels
table      the list of parts
runner     all tasks through joblib, resumed where they were stopped
rates      calls to reach a gradient norm; rate_summary: their slopes
deviations exact deviations by family, m and |G|; deviation_summary: bounds, growth, reasons
training   n m images per step against accuracy
problems   small problems with known constants; walks: many runs of descent at once
typical    the deviation that irreps explain
numbers    slopes and rates with intervals
"""

from studies.rates.part import Finding, Line, Panel, Part, Summary, Table
from studies.rates.runner import Study, read_study, run_study

__all__ = [
    "Finding",
    "Line",
    "Panel",
    "Part",
    "Study",
    "Summary",
    "Table",
    "read_study",
    "run_study",
]
