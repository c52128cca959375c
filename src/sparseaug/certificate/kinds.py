"""The kinds of certificates, one entry each; `docs/certificates.md` says what each bounds and needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sparseaug._checks import check_choice, check_list
from sparseaug.certificate.audit import audited
from sparseaug.certificate.certificates import Certificate
from sparseaug.certificate.exact import exact
from sparseaug.certificate.sparse import a_priori, kernel, spectral
from sparseaug.certificate.words import words
from sparseaug.errors import ArgumentError, shorten


class Kind(NamedTuple):
    """A way to bound ||grad R_n^G(theta)||.

    Attributes:
        make: make(evidence, theta, **options), the certificate
        options: the options of `certify` that `make` takes
        from_sample: whether it takes the mean over S, or words of it, and bounds its distance from G's
    """

    make: Callable[..., Certificate]
    options: tuple[str, ...] = ()
    from_sample: bool = True


TABLE: Mapping[str, Kind] = {
    "a-priori": Kind(a_priori, ("delta",)),
    "spectral": Kind(spectral),
    "words": Kind(words),
    "kernel": Kind(kernel),
    "exact": Kind(exact, from_sample=False),
    "audited": Kind(
        audited, ("delta", "oracle", "calls", "translates_of", "until"), from_sample=False
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
