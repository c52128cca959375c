"""The paper's experiment: sum regression under S_6, none against full, streaming and one-shot.

config        every number of section Experiments, frozen
problem       data, centres, start and drawn elements of one seed; what a replay file holds
methods       none, full, streaming, one-shot: names, oracle calls, what each descends on
quantities    what is evaluated along a run, over the whole group
kinds         what is certified of a run: bounds, and facts about S
seed          one seed: all methods, each quantity
compared      designs and as many draws: which, of which size
checks        what is wrong in a file of results
results       results.json as one checked table
comparison    designs.json as one checked table
parts         a finished run or its certificates on disk, checked when read
folder        files of an experiment, each whole or absent; what another config left is refused
workers       processes that end with their parent
runner        all seeds in parallel processes, resumed where they were stopped
sentences     the claims of the paper's Results, and what was measured
design_sentences  what designs do, and what was measured
beyond        products of a few draws, batches of streaming, first steps, other starts
certificates  certified bounds of the full-gradient norm along the one-shot runs
"""

from studies.paper.comparison import Comparison, read_comparison
from studies.paper.config import Config
from studies.paper.design_sentences import design_claims
from studies.paper.folder import Count, Folder
from studies.paper.problem import Problem
from studies.paper.results import Results, read_results
from studies.paper.runner import Finished, reproduce
from studies.paper.seed import run_seed
from studies.paper.sentences import Claim, claims

__all__ = [
    "Claim",
    "Comparison",
    "Config",
    "Count",
    "Finished",
    "Folder",
    "Problem",
    "Results",
    "claims",
    "design_claims",
    "read_comparison",
    "read_results",
    "reproduce",
    "run_seed",
]
