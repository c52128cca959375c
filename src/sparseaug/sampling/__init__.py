"""The oracle that counts, and S as data.

keys     keyed randomness: (seed, purpose, step, index) -> generator
oracle   fresh elements, counted, within a budget; one for many threads
origin   where a sample came from, and the draws behind it
distinct  what is equal among rows
stored   what a sample and a table have in common: hash, cost, origin, one file each
sample   GroupSample: an immutable multiset with its hash, cost and origin; words over it
table    SampleTable: own elements for each sample, as data
augment  transformed copies of a data set
identity  what a result depends on, by name and hash: for checkpoints, stores and loaders
"""

from sparseaug.sampling.augment import augment
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.oracle import Oracle
from sparseaug.sampling.origin import Origin
from sparseaug.sampling.sample import GroupSample
from sparseaug.sampling.table import SampleTable

__all__ = ["GroupSample", "Oracle", "Origin", "SampleTable", "augment", "keyed_rng"]
