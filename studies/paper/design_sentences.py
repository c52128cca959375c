"""What designs do for the paper's experiment, each as a comparison over the seeds and a verdict.

As in `sentences`, a difference is taken within seeds, each the mean over several S, and a sentence
holds if all of its 95 % interval is on the right side.
"""

from __future__ import annotations

import math

import numpy as np

from sparseaug.kernels.arrays import Floats
from studies.paper.comparison import Comparison, SizeResult
from studies.paper.sentences import Claim, Difference

PARTS = {"C_6": 2, "PGL(2,5)": 50}
"""Designs that shall have at most one such part of the draws' discrepancy."""

LEVEL = 0.01
"""A run ends "where the full group ends" if it is within this part of it."""


def design_claims(found: Comparison) -> list[Claim]:
    """The sentences about designs, measured.

    Args:
        found: The table, as `read_comparison` returns it.

    Returns:
        One claim per sentence; not shown where these seeds leave it open.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from studies.paper import Config, reproduce
        >>> tiny = Config(group_size=3, train=6, test=5, centers=4, num_steps=6, eval_every=3, seeds=1)
        >>> with TemporaryDirectory() as folder:
        ...     done = reproduce(tiny, folder, jobs=1)
        >>> print(design_claims(done.comparison)[-1].measured)
        m = 3: draws 3, design 2
    """
    nearer = [_part(size, 1) for size in found.sizes]
    parts = [_part(size, PARTS[size.design]) for size in found.sizes if size.design in PARTS]
    return [*nearer, *parts, _as_full(found), _calls(found)]


def _part(size: SizeResult, part: int) -> Claim:
    """The discrepancy of the design is below this part of the draws'."""
    ours, theirs = (size.by_seed(kind, "discrepancy") for kind in ("design", "draws"))
    gap = Difference.of(theirs / part - ours)
    share = "less discrepancy than" if part == 1 else f"at most 1/{part} of the discrepancy of"
    beside = "" if part == 1 else f"1/{part} of "
    return Claim(
        f"At m = {size.m} a translate of {size.design} has {share} draws.",
        f"{ours.mean():.3g} is {_over(ours, theirs):.2g} of {theirs.mean():.3g}; {beside}draws less "
        f"design is {gap}",
        gap.lower > 0,
    )


def _as_full(found: Comparison) -> Claim:
    size, parts, texts = found.sizes[-1], [], []
    for name, label in (("gradient_norm", "full-gradient norm"), ("test_risk", "test risk")):
        full = found.full[name]
        gaps = {kind: Difference.of(size.by_seed(kind, name) - full) for kind in size.kinds}
        part, draws = (_over(gaps[kind].furthest, full) for kind in ("design", "draws"))
        parts.append(part)
        texts.append(f"{label} within {part:.1g} of it (draws {draws:.1g})")
    return Claim(
        f"With {size.m} elements {size.design} ends where the full group of {found.full_calls} ends.",
        f"{' and '.join(texts)}; {LEVEL:g} would do",
        max(parts) <= LEVEL,
    )


def _calls(found: Comparison) -> Claim:
    calls = {size.m: [size.kinds[kind].oracle_calls for kind in size.kinds] for size in found.sizes}
    return Claim(
        "A translate of a design on both sides costs two oracle calls, draws cost m.",
        ", ".join(f"m = {m}: draws {draws}, design {two}" for m, (draws, two) in calls.items()),
        all(each == [m, 2] for m, each in calls.items()),
    )


def _over(part: Floats | float, whole: Floats) -> float:
    """The ratio of the means."""
    mean = float(whole.mean())
    return float(np.mean(part)) / mean if mean > 0 else math.inf
