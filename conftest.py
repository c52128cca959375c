"""The habits of the whole suite, docstrings and documents too: threads, warnings, missing packages."""

from __future__ import annotations

import os
import sys

# Each worker of pytest has a core: if each starts a thread for every core of the machine, they wait for
# one another, and small matrices take longer than alone. NumPy and torch read these when imported.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

import pytest
import threadpoolctl

from tests import blocks, extras

# JAX starts threads, after which no test may fork: `tests/actions/test_jax.py` runs this page alone
collect_ignore = ["docs/howto/jax.md"]

threadpoolctl.threadpool_limits(1)  # where a plugin has imported NumPy before


def pytest_configure(config: pytest.Config) -> None:
    """What this library warns of fails a test, whatever line it is about."""
    config.addinivalue_line("filterwarnings", "error::sparseaug.errors.SparseAugWarning")
    # tests draw many elements of small groups
    config.addinivalue_line("filterwarnings", "ignore::sparseaug.errors.LargeSampleWarning")
    # torch says this of the first product on a GPU in a process, before it makes the context itself
    config.addinivalue_line(
        "filterwarnings", "ignore:Attempting to run cuBLAS, but there was no current CUDA context"
    )


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """A module that imports what is not installed is skipped; see `extras`."""
    found = yield
    instead = extras.skip_file(file_path, parent) if found and file_path.suffix == ".py" else None
    return found if instead is None else [instead]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """So is an example in a docstring or a document; each of its code blocks is a test of its own.

    shap compiles for seconds in each process that uses it: what does comes first, to one worker.
    """
    examples = [item for item in items if isinstance(item, pytest.DoctestItem)]
    split = {item: list(blocks.alone(item)) for item in examples}
    items[:] = [one for item in items for one in split.get(item, [item])]
    for item in (one for parts in split.values() for one in parts):
        extras.skip_example(item)
    items.sort(key=lambda item: "shapley" not in item.nodeid)


def pytest_collection_finish() -> None:
    """torch takes its threads when it is used first: only where a test has imported it."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


@pytest.fixture(autouse=True)
def fresh_example(request: pytest.FixtureRequest) -> None:
    """An example finds an empty folder, and torch as in a new process."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))
        if "torch" in sys.modules:
            sys.modules["torch"].manual_seed(blocks.FRESH_SEED)
