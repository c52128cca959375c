"""Views made once: the values f(g x_i) of every sample and every element of S, kept in a store.

build    compute, the public door: fill a store, or resume a run that stopped
work     what a store is made of, and what is missing; more elements
engines  who computes: this process, workers of joblib, ranks of torchrun
sources  what samples and functions may be: blocks of samples in, named arrays out
layout   the files of a store: Zarr 3, chunks with checksums
places   where they lie: a folder, with one writer at a time, or an object store
store    reading: arrays, means over S, data sets, splits by source sample
"""

from sparseaug.errors import need

need("zarr", "sparseaug.views", extra="sparseaug[views]")

from sparseaug.views.build import compute
from sparseaug.views.store import Store, open

__all__ = ["Store", "compute", "open"]
