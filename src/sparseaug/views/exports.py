"""What trainers read: one file per sample with all its variations, and their mean over S."""

from __future__ import annotations

import io
import os
from typing import Any, Literal

import numpy as np

from sparseaug._checks import check_choice, check_type
from sparseaug.errors import StorageError, shorten
from sparseaug.views.folder import folder_of
from sparseaug.views.store import Store

_SAMPLES = 64  # that are read at a time: chunks of the store hold several


def export(
    store: Store,
    out: str | os.PathLike[str],
    *,
    format: Literal["npz", "safetensors"] = "npz",
    samples: Any = None,
) -> list[str]:
    """Write one file per sample: each output (m, ...), in the order of S, and its mean over S.

    The arrays of an output `values` are "values" and "values.mean". Files of the same names are
    replaced, each whole: a run that was killed is repeated.

    Args:
        store: values of every sample and element
        out: a local folder, made if it is not there
        format: "npz" for NumPy's, or "safetensors"
        samples: indices of samples; None for all

    Returns:
        The paths, one per sample, named by the number of the sample.

    Examples:
        >>> import numpy as np, sparseaug as sa, tempfile
        >>> act = sa.random_transform(lambda x, rng: x * rng.random())
        >>> S = sa.Oracle(act.distribution, seed=0).draw(4)
        >>> folder = tempfile.mkdtemp()
        >>> store = sa.views.compute(np.ones((2, 3)), act, S, out=f"{folder}/store")
        >>> paths = sa.views.export(store, f"{folder}/files")
        >>> {name: array.shape for name, array in np.load(paths[1]).items()}
        {'values': (4, 3), 'values.mean': (3,)}
    """
    check_type("store", store, Store, "a store; give what views.compute or views.open returned")
    check_choice("format", format, ("npz", "safetensors"))
    which, root = store._samples(samples), folder_of("out", out).root
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"out={shorten(out)} cannot be made: {error.strerror}.") from error
    paths = []
    for start in range(0, len(which), _SAMPLES):
        some = which[start : start + _SAMPLES]
        found = {name: store.array(name, some) for name in store.outputs}
        found |= {f"{name}.mean": store.mean(name, some) for name in store.outputs}
        for k, i in enumerate(some.tolist()):
            path = root / f"{i:08d}.{format}"
            part = path.with_suffix(".part")
            part.write_bytes(_bytes({name: array[k] for name, array in found.items()}, format))
            part.replace(path)
            paths.append(str(path))
    return paths


def _bytes(arrays: dict[str, Any], format: str) -> bytes:
    arrays = {name: np.ascontiguousarray(part) for name, part in arrays.items()}
    if format == "safetensors":
        from safetensors.numpy import save

        return save(arrays)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()
