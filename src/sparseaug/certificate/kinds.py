"""The kinds of certificates, one entry each: `certify`, its checks, the docs and the report read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

from sparseaug._checks import check_choice, check_list
from sparseaug.certificate.audit import audited
from sparseaug.certificate.certificates import Certificate
from sparseaug.certificate.exact import exact
from sparseaug.certificate.sparse import a_priori, kernel, spectral
from sparseaug.certificate.words import words
from sparseaug.errors import ArgumentError, shorten


@final
@dataclass(frozen=True)
class Kind:
    """A way to bound ||grad R_n^G(theta)||.

    Attributes:
        bound: what the bound is
        holds: "certain", or with which probability over what
        needs: what it needs
        make: make(evidence, theta, **options), the certificate
        options: the options of `certify` that `make` takes
        from_sample: whether it takes the mean over S, or words of it, and bounds its distance from G's
    """

    bound: str
    holds: str
    needs: str
    make: Callable[..., Certificate]
    options: tuple[str, ...] = ()
    from_sample: bool = False


TABLE: Mapping[str, Kind] = {
    "a-priori": Kind(
        "norm on S + C B min{1, sqrt(8/(3m) log(2|G|/delta))}, or C B_2 min{1, sqrt(2/m log(2/delta))}",
        "with probability 1 - delta over the draw of S",
        "S from one draw of an oracle, m fixed beforehand",
        a_priori,
        ("delta",),
        from_sample=True,
    ),
    "spectral": Kind(
        "norm on S + norm of Pi_S - Pi_G times C B(theta)",
        "certain",
        "the deviation of S",
        spectral,
        from_sample=True,
    ),
    "words": Kind(
        "norm on words of S + their norm of Pi_W - Pi_G times norms of what varies over orbits",
        "certain",
        "the deviation of the words",
        words,
        from_sample=True,
    ),
    "kernel": Kind(
        "norm on S + distance of S-averaged and G-averaged data times norms",
        "certain",
        "group means of the kernel",
        kernel,
        from_sample=True,
    ),
    "exact": Kind(
        "the norm itself and its rounding",
        "certain",
        "a closed form, or a group that can be enumerated",
        exact,
    ),
    "audited": Kind(
        "norm of a mean over fresh draws + the radius of its interval",
        "with probability 1 - delta over the audit's draws",
        "an oracle independent of theta",
        audited,
        ("delta", "oracle", "calls", "translates_of", "until"),
    ),
}

KINDS = tuple(TABLE)


def check_kinds(kinds: Any) -> tuple[str, ...]:
    """The kinds asked for, each once; all of them for None."""
    if kinds is None:
        return KINDS
    asked = [check_choice("kinds", kind, KINDS) for kind in check_list("kinds", kinds)]
    if not asked:
        raise ArgumentError(f"kinds={shorten(kinds)} is empty; give some of {KINDS}.")
    return tuple(dict.fromkeys(asked))
