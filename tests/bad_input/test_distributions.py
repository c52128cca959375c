"""A mere distribution for the group, the sample, the action or the oracle of every public callable.

Either the call works, and its name is in `ABLE`, or it is refused in one sentence that says what to
use instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import chdir
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, NotAGroupError, UnsupportedError
from sparseaug.groups import Distribution
from tests.bad_input.examples import core
from tests.bad_input.judge import Example, Fresh, watched
from tests.bad_input.test_bad_input import EXAMPLES, folder  # noqa: F401

ABLE_BY_PACKAGE = {
    "actions": "Action.over Action.rows PermuteNodes.over product_action",
    "certificate": "audit_risk",
    "designs": "choose design",
    "groups": """
        Distribution.check Distribution.contains Distribution.sample Group.sample""",
    "kernels": "sample_moments",
    "nn": """
        ModuleRisk OneShotDataset OrbitAverage OrbitBatch StreamingDataset""",
    "risk": "augmented_risk custom_risk streaming_risk",
    "sampling": """
        GroupSample Oracle Oracle.advance_to Oracle.draw Oracle.fresh SampleTable SampleTable.draws
        Stored.save augment""",
    "sklearn": "OneShotClassifier OneShotRegressor OneShotResampler",
    "spectrum": "orbit_spectrum PoolSpectrum.predict Spectrum.predict",
    "views": "compute",
}
ABLE = {f"{package}.{name}" for package, names in ABLE_BY_PACKAGE.items() for name in names.split()}

MOVE, OF = core.MOVE, core.MOVE.distribution
ORACLE = partial(sa.Oracle, OF, seed=5)
USE = r"\b(draw|give|leave|let|measure|need|use)\b"
MOVES_TOO = ("output_action", "y_action")  # None in most examples
IN_PLACE_OF = {
    Distribution: lambda: OF,
    Action: lambda: MOVE,
    sa.GroupSample: lambda: ORACLE().draw(8),
    sa.SampleTable: lambda: sa.SampleTable.draws(ORACLE(), n=8, m=2),
    sa.Oracle: ORACLE,
    type(core.SPECTRUM): lambda: core.POOL,
    type(core.POOL): lambda: core.POOL,
}


def in_place_of(name: str, value: Any) -> Any:
    """What stands for a good value that belongs to a group; None for others."""
    value = value.make() if isinstance(value, Fresh) else value
    if name == "group" and isinstance(value, str):
        return OF
    return next((make() for kind, make in IN_PLACE_OF.items() if isinstance(value, kind)), None)


def calls(example: Example) -> Iterator[Callable[[], Any]]:
    """The example with all that belongs to a group replaced; with "full" for S; with targets moved."""
    owner = example.on() if example.on else getattr(example.call, "__self__", None)
    own, name = in_place_of("", owner), example.key.rpartition(".")[2]
    found = {name: in_place_of(name, value) for name, value in example.good.items()}
    new = {name: value for name, value in found.items() if value is not None}
    if (own is None and not new) or (own is not None and not hasattr(own, name)):
        return
    rows = {name: example.good[name] for name in ("elements", "rows") if name in example.good}
    new |= {k: np.zeros((*np.shape(v)[:-1], 1), np.int64) for k, v in rows.items()}
    call = (
        example if own is None else lambda **given: getattr(own, name)(**example.arguments(**given))
    )
    yield partial(call, **new)
    if "S" in new and "action" in new:
        yield partial(call, **{**new, "S": "full"})
    if lacking := [name for name in MOVES_TOO if example.good.get(name, OF) is None]:
        yield partial(call, **new, **dict.fromkeys(lacking, MOVE))
    if flags := [name for name, value in example.good.items() if value is True]:
        yield partial(call, **new, **dict.fromkeys(flags, False))


def by_key() -> dict[str, list[tuple[Example, Callable[[], Any]]]]:
    found: dict[str, list[tuple[Example, Callable[[], Any]]]] = {}
    for example in EXAMPLES:
        for call in calls(example):
            found.setdefault(example.key, []).append((example, call))
    return found


with TemporaryDirectory() as made, chdir(made):  # some arguments are files
    CALLS = by_key()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("key", CALLS)
def test_a_distribution_is_taken_or_refused_in_a_sentence_that_says_what_to_use(key):
    works, refusals = False, []
    for example, call in CALLS[key]:
        try:
            with watched(example.warns):
                call()
            works = True
        except (ArgumentError, UnsupportedError) as error:
            refusals.append(error)
    for error in refusals:
        what = (
            "no group, and .*Oracle, orbit_spectrum" if isinstance(error, NotAGroupError) else USE
        )
        assert re.match(f"(?i).*{what}[^\n]*$", str(error)), error
    assert works == (key in ABLE)


def test_what_is_listed_as_able_is_called():
    assert ABLE <= set(CALLS)


def test_at_least_90_public_callables_are_tried():
    assert len(CALLS) >= 90
