"""The public door: check the arguments, then fill a store or resume a run that stopped."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Literal

from sparseaug._checks import (
    Progress,
    check_callable,
    check_choice,
    check_integer,
    check_progress,
    check_text,
)
from sparseaug.actions import Action
from sparseaug.actions.base import require_action
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import as_sample
from sparseaug.views.folder import folder_of
from sparseaug.views.function import Function
from sparseaug.views.numbers import FLOATS
from sparseaug.views.samples import Source
from sparseaug.views.store import Store
from sparseaug.views.work import COPY, Work, start


def compute(
    source: Any,
    action: Action,
    S: GroupSample | Literal["full"],
    function: Callable[..., Any] | None = None,
    *,
    out: str | os.PathLike[str],
    name: str | None = None,
    dtype: str | None = None,
    column: str | None = None,
    batch: int = 64,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Store:
    """The values f(g x_i) of every sample and every distinct element of S, in a store at `out`.

    Call it again with the same arguments to resume after an interruption, or with a larger S: what is
    there is verified and kept. A store that was made with other arguments is refused.

    Args:
        source: n samples: an array, a tuple or dict of arrays that `action` moves together, a data set
            (torch or Hugging Face) or a list with items x or (x, y, ...). It must give the same samples
            each time.
        action: how the group moves samples.
        S: the elements; each distinct one is computed once.
        function: of a batch of moved samples; a torch module evaluates on its device, without gradients.
            It returns one array, or a tuple or dict of arrays, one row per sample. None keeps the moved
            copies themselves.
        out: the folder of the store, Zarr 3: a new or empty one, or that of a store to resume.
        name: what the function is, such as "resnet18 v2"; None takes its name in the code. It is kept in
            the store and compared, as are code, weights and arguments of the function as far as they can
            be seen, and some of its values. Change it where something changes that cannot be seen.
        dtype: "float16", "bfloat16", "float32" or "float64", in which floating-point values are stored.
            The first has a relative error of at most 2^-11 (2^-25 absolute below 6e-5), the second of
            0.4 %; both are read as float32. None stores what the function returns.
        column: the column of a table, or the key of samples that are dicts.
        batch: samples per call of the function; the last bits of its values may depend on it.
        workers: processes of joblib. None takes what `joblib.parallel_config` states (Dask and Ray too),
            and without it this process, which fetches and writes while it computes: right for a GPU.
            Under torchrun, every rank calls this function and takes its share.
        progress: a function progress(done, total) of bytes, called with (0, total) before work starts.

    Returns:
        The store, complete.

    Raises:
        ConfigMismatchError: there is a store at `out` that was made with other arguments.
        StorageError: the disk is full, or another process is writing; call again to resume.

    Examples:
        >>> import numpy as np, sparseaug as sa, tempfile
        >>> S = sa.GroupSample(sa.cyclic(3), [[0], [1], [1]])
        >>> folder = tempfile.mkdtemp()
        >>> store = sa.views.compute(np.array([[1, 2, 3]]), sa.permute_axis(S.group), S, out=folder)
        >>> store.array().tolist()  # sample 0 at each of the three elements
        [[[1, 2, 3], [3, 1, 2], [3, 1, 2]]]
        >>> store.mean().tolist()
        [[2.3333333333333335, 1.3333333333333333, 2.3333333333333335]]
    """
    require_action(action)
    S = as_sample(S, action.distribution)
    folder = folder_of("out", out)
    told = COPY
    if function is not None:
        check_callable("function", function, "a function of a batch, or None")
        known = getattr(function, "__qualname__", type(function).__qualname__)
        told = known if name is None else check_text("name", name)
    if dtype is not None:
        check_choice("dtype", dtype, tuple(FLOATS))
    if column is not None:
        check_text("column", column)
    if workers is not None:
        workers = check_integer("workers", workers, at_least=1, below=1 << 16)
    samples = Source(source, column)
    values = Function(action, function, check_integer("batch", batch, at_least=1, below=1 << 31))
    watch = check_progress(progress)
    work = Work(samples, values, told, dtype, workers, watch)
    return Store(start(folder, work, S), work, S)
