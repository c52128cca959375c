"""Views made once: the values f(g x_i) of every sample and every element of S, kept in a store.

build        compute, the public door: fill a store, or resume a run that stopped
work         what a store is made of, what is missing, and who may go on with it
engines      who computes: this process, workers of joblib, ranks of torchrun
samples      what samples may be: blocks of samples out
function     what functions may be: named arrays out
facts        what a store says of itself, with a hash, and checked
layout       the arrays of a store: Zarr 3, chunks that are bound to their place
folder       where they lie: whole files, no links, one writer at a time
numbers      float16, bfloat16: how numbers are rounded and read
store        reading: arrays, means over S, spectra, splits by source sample
exports      one file per sample, with all its variations
dataset      reading in a training loop
"""

from sparseaug.errors import need

need("zarr", "sparseaug.views")

from sparseaug.views.build import compute
from sparseaug.views.exports import export
from sparseaug.views.store import Store, open

__all__ = ["Store", "compute", "export", "open"]
