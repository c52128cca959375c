"""Views made once: the values f(g x_i) of every sample and every element of S, kept in a store.

build    compute, the public door: fill a store, or resume a run that stopped
work     what is missing, computed block by block; more elements
sources  what samples and functions may be: blocks of samples in, named arrays out
layout   the store on disk: Zarr 3, chunks that are whole or absent, checksums, one writer at a time
store    reading: arrays, means over S, data sets, splits by source sample
"""

from sparseaug.errors import need

need("zarr", "sparseaug.views", extra="sparseaug[views]")

from sparseaug.views.build import compute
from sparseaug.views.store import Store, open

__all__ = ["Store", "compute", "open"]
