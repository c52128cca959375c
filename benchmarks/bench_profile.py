"""`profile(S)` next to `deviation(S)`, in the same run.

python -m benchmarks.bench_profile            S_8, S_9, S_10 at m = 64
"""

from __future__ import annotations

import argparse
from functools import partial

import sparseaug as sa
from benchmarks.side_by_side import compare


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, nargs="+", default=[8, 9, 10])
    parser.add_argument("--m", type=int, default=64)
    options = parser.parse_args()
    for n in options.n:
        S = sa.Oracle(sa.symmetric(n), seed=0).draw(options.m)
        compare(
            f"S_{n}, m = {options.m}",
            {"deviation": partial(sa.deviation, S), "profile": partial(sa.profile, S)},
            rounds=7 if n < 10 else 3,
            limit="the profile is to take at most 1.5 times the deviation at S_9",
        )


if __name__ == "__main__":
    main()
