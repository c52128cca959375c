"""The numerical tests as other processors run them: `python tests/processors.py`, or `make kernels`.

OpenBLAS, NumPy and torch choose their loops by the processor, and each sums in an order of its own. Here
they are told to choose those of other ones: a claim that holds only in the order of one is found before
a user finds it. Zen is not in the list: OpenBLAS has no loops for it and takes those of Haswell.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = (
    *("certificate/test_bounds.py", "certificate/test_scales.py", "certificate/test_soundness.py"),
    *("designs/test_prediction.py", "designs/test_rotations.py", "designs/test_search.py"),
    *("kernels/test_moments.py", "kernels/test_rounding.py", "theory"),
    *(
        "spectrum/test_orbit_spectrum.py",
        "spectrum/test_spectrum.py",
        "spectrum/test_symmetry_level.py",
    ),
    *("norms/test_bounds.py", "norms/test_lanczos.py"),
    *("norms/test_rotations.py", "norms/test_verified.py", "norms/test_worst_rounding.py"),
)
PAGES = ("docs/kernels.md", "docs/howto/rotations.md", "docs/howto/sources.md")


def processors() -> dict[str, dict[str, str]]:
    """What to set in the environment for each; the first has no more than SSE, whatever this one has."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    newer = [name for name in __cpu_dispatch__ if __cpu_features__[name]]
    plain = {
        "NPY_DISABLE_CPU_FEATURES": " ".join(newer),
        "ATEN_CPU_CAPABILITY": "default",
        "MKL_CBWR": "COMPATIBLE",
        "OPENBLAS_CORETYPE": "Prescott",
    }
    found = {"SSE": plain}
    if __cpu_features__["AVX2"]:
        found["AVX2"] = {"OPENBLAS_CORETYPE": "Haswell"}
    if __cpu_features__.get("AVX512_SKX"):
        found["AVX-512"] = {"OPENBLAS_CORETYPE": "SkylakeX"}
    return found


def main() -> None:
    """Run them all, and exit with 1 if one processor failed."""
    files = [*(f"tests/{name}" for name in TESTS), *PAGES]
    failed = []
    for name, settings in processors().items():
        print(f"{name}:", *(f"{key}={value!r}" for key, value in settings.items()), flush=True)
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", *files]
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, **settings}, check=False)
        failed += [name] * bool(done.returncode)
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
