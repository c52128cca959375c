"""From Fourier blocks to the norm of D_S: the largest verified norm, and a vector that attains it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sparseaug._checks import Progress, silent
from sparseaug.groups import Irrep
from sparseaug.groups.degrees.counts import Degree
from sparseaug.groups.fourier import Block, irrep_means
from sparseaug.groups.product import Tensor
from sparseaug.groups.quotients import Multiset
from sparseaug.groups.representations import listed_irreps
from sparseaug.norms.norm import Norm, announce
from sparseaug.norms.threads import threads_for
from sparseaug.norms.verified import norm_lower, norm_upper
from sparseaug.sampling import GroupSample


def largest_norm(blocks: Iterable[Block], *, total: int, progress: Progress = silent) -> Norm:
    """Bounds on the largest ||A|| over the blocks A, each of norm at most 1 in truth."""
    labelled = ((0, block) for block in reported(blocks, total, progress))
    return largest_norms(labelled).get(0, Norm(0.0, 0.0))


def reported(blocks: Iterable[Block], total: int, progress: Progress) -> Iterator[Block]:
    """The blocks; each is reported when the next one is asked for."""
    for done, block in enumerate(blocks, start=1):
        yield block
        progress(done, total)


def largest_norms(
    blocks: Iterable[tuple[Degree, Block]],
    *,
    at_most: float = 1.0,
) -> dict[Degree, Norm]:
    """Bounds on the largest ||A|| over the blocks A of each degree; the largest ones first are best.

    In truth no norm is above `at_most`: 1 of means without negative weights.
    """
    found: dict[Degree, Norm] = {}
    worst: dict[Degree, float] = {}
    for degree, block in blocks:
        with threads_for(len(block.values)):
            size = norm_upper(block.values, block.error, at_most=worst.get(degree))
            if degree not in worst or size > worst[degree]:
                worst[degree] = size
                least = min(at_most, norm_lower(block.values, block.error))
                found[degree] = Norm(min(at_most, size), least, str(block.label))
    return found


def irreps_norm(S: GroupSample, *, degree: int | None = None, progress: Progress = silent) -> Norm:
    """The norm of D_S for a group whose `irreps()` are known, block by block."""
    irreps = listed_irreps(S.group, degree)
    announce_irreps(S, irreps)
    return largest_norm(irrep_means(S, irreps), total=len(irreps), progress=progress)


# Measured on one core: 0.2 microseconds for each entry of a matrix that is made (Young's form from
# products of transpositions), 10^10 operations a second in products and Cholesky.
def announce_irreps(S: Multiset, irreps: list[Irrep]) -> None:
    """What the means of all irreps over S will take."""
    k = len(S.counts()[0])
    seconds, memory = 0.0, 0.0
    for irrep in irreps:
        size = irrep.dimension
        seconds += 5e-5  # whatever its size
        factors = irrep.matrices.irreps if isinstance(irrep.matrices, Tensor) else (irrep,)
        made = sum(factor.dimension**2 for factor in factors)
        seconds += 2e-7 * k * made + 1e-10 * (k * size**2 + size**3)
        memory = max(memory, 32.0 * size**2)
    announce(
        f"the norm on all {len(irreps)} irreps of {S.group.name} at {k} distinct elements",
        seconds=seconds,
        memory=memory,
        instead="restrict the norm with degree= or action=, or use fewer elements.",
    )
