"""JAX in a process of its own; see `jax_cases.py`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.extras import REASON, installed

HERE = Path(__file__).parent


@pytest.mark.skipif(not installed("jax"), reason=REASON.format("jax"))
def test_every_action_moves_jax_arrays_under_jit_grad_and_vmap_and_the_page_runs():
    paths = HERE / "jax_cases.py", HERE.parents[1] / "docs/howto/jax.md"
    quick = {"XLA_FLAGS": "--xla_backend_optimization_level=0", "JAX_PLATFORMS": "cpu"}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, paths)],
        env={**os.environ, **quick},
        capture_output=True,
        text=True,
        check=False,
        timeout=540,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-1000:]
    assert " passed" in run.stdout


def test_jax_is_never_imported_by_the_library():
    code = (
        "import sys, numpy as np, sparseaug as sa; "
        "act = sa.permute_axis(sa.symmetric(3)); act(act.group.identity(), np.eye(3)); "
        "sa.deviation(sa.Oracle(act.group).draw(3)); "
        "sa.kernels.GaussianKernel(1.0)(np.eye(3), np.eye(3)); "
        "sys.exit('jax' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
