"""What can be said of the error of the gradient on S before S is drawn: by m, delta, n and |G| alone.

The paper's factor min{1, sqrt(8/(3m) log(2|G|/delta))} of the mean norm B holds for all data at once.
The factor of `theory.dimension_free`, or of `theory.products`, of the root mean square norm B_2 has no
|G| in it and holds for kernel and data that do not depend on the draw. Each fails with probability
delta, so the smaller *bound* of both would fail with 2 delta: the smaller *factor* is taken, which no
draw can change. A box fixes B and B_2 too; there the smaller product is taken.

The gradient functions lie in two spaces, of width sigma / sqrt(2) and sigma
(`kernels.gradient_norms`): in both together k(x, x) = 2 for C^2, and the root of the sum of squares is
at most the sum of the norms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sparseaug._floats import lifted
from sparseaug.errors import UnsupportedError
from sparseaug.kernels import GradientNorms
from sparseaug.sampling import GroupSample
from sparseaug.theory import deviation_bound, dimension_free_gradient_bound, products_gradient_bound

BOTH_SPACES = math.nextafter(math.sqrt(2), 2)
"""C of both spaces together."""

FIXED = "kernel and data do not depend on the draw of S"


@dataclass(frozen=True, slots=True)
class Factor:
    """A number that B, or B_2, is multiplied by.

    Attributes:
        value: the number
        failure: how often the product is below the error, over the draw of S
        mean: whether of B; else of B_2
        condition: what it rests on besides
    """

    value: float
    failure: float
    mean: bool
    condition: str = ""

    def of(self, norms: GradientNorms) -> float:
        """The error of the gradient, at most."""
        return lifted(self.value * (norms.B if self.mean else norms.B_2), 4)


def factors(S: GroupSample, delta: float) -> dict[str, Factor]:
    """Those that S allows: "paper" and "one kernel".

    Raises:
        UnsupportedError: S was not drawn, and nothing is known of it
    """
    found, drawn = {}, S.origin
    if S.group.is_finite:
        tau = deviation_bound(S.m, order=S.group.order, delta=delta)
        if tau == 1.0 or S.group.order == 1:
            found["paper"] = Factor(tau, 0.0, True)
        elif drawn.is_uniform:
            found["paper"] = Factor(tau, delta, True)
    if drawn.is_uniform:
        r = dimension_free_gradient_bound(S.m, delta, C=BOTH_SPACES, B=1.0)
    elif drawn.kind == "products":
        sets = S.m >> drawn.length
        calls = sets * drawn.length
        r = products_gradient_bound(calls, delta, C=BOTH_SPACES, B=1.0, repeats=sets)
    elif found:
        return found
    else:
        raise UnsupportedError(f"S is {drawn.kind}, not independent uniform draws; use an Oracle.")
    return found | {"one kernel": Factor(r, delta, False, FIXED)}
