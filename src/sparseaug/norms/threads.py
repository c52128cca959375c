"""Threads of the linear algebra library: few, because those that must wait for each other crawl.

On two cores, two threads took five times as long as one for the blocks of S_9, and ten times as
long for a Cholesky factorisation of size 4000 while another program kept one core busy.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

TINY, SMALL = 48, 1000
"""Below the first size the library takes one thread by itself; above the second, half the cores."""


@contextmanager
def threads_for(size: int) -> Iterator[None]:
    """Within, a matrix of this size is worked on as is best for it; afterwards as before."""
    if size < TINY:
        yield
        return
    limit = 1 if size < SMALL else max(1, (os.cpu_count() or 1) // 2)
    with _libraries().limit(limits=limit, user_api="blas"):
        yield


_libraries = cache(ThreadpoolController)  # which looks for them, a millisecond
