"""OrbitBatch: the copies of `augment`, compiled, in every precision, saved."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
from safetensors.torch import load, save
from torch import nn

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.nn import OrbitBatch
from tests.conftest import ACTIONS

SHIFT = sa.roll(sa.abelian(4, 4))
BOTH = sa.together(image=SHIFT, mask=SHIFT)


def drawn(group, m=5, seed=0):
    return sa.Oracle(group, seed).draw(m)


@pytest.fixture
def images():
    return torch.randn(3, 2, 4, 4, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def shifts():
    return OrbitBatch(SHIFT, drawn(SHIFT.group))


@pytest.fixture
def rotations():
    space = sa.rotations(3)
    return OrbitBatch(sa.rotate(space), drawn(space))


def test_copies_are_those_of_augment_for_every_action(moving):
    action, x = moving
    S = drawn(action.group)
    expected, targets = sa.augment(action, S, x, np.arange(len(x)))
    orbit = OrbitBatch(action, S)
    for dtype in (torch.float64, torch.float32):
        copies = orbit(torch.tensor(x, dtype=dtype))
        assert copies.dtype == dtype
        assert np.array_equal(copies.numpy(), expected.astype(copies.numpy().dtype))
    assert torch.equal(orbit.repeat(torch.arange(len(x))), torch.as_tensor(targets))


def test_a_stated_subset_gives_those_elements_in_that_order(shifts, images):
    whole = shifts(images).unflatten(0, (5, 3))
    targets = torch.arange(6).reshape(3, 2)
    for which, positions in (
        (slice(None, None, -2), [4, 2, 0]),
        ([3, 0, 3], [3, 0, 3]),
        (torch.tensor([4, 1], dtype=torch.int16), [4, 1]),
        (np.array([1, 0]), [1, 0]),
    ):
        assert torch.equal(shifts(images, which), whole[positions].flatten(0, 1))
        assert torch.equal(shifts.repeat(targets, which), torch.cat([targets] * len(positions)))


def test_every_precision_has_matrices_made_from_the_rows(rotations, shifts, images):
    S, x = rotations.sample, torch.randn(2, 4, 3, dtype=torch.float64)
    rotations(x)
    exact = sa.augment(rotations.action, S, x, x)[0]
    for change in (rotations.half, rotations.float, rotations.double):
        change()
        assert rotations.sample.elements.tobytes() == S.elements.tobytes()
    assert torch.equal(rotations(x), exact)
    assert rotations(x.half()).dtype == torch.float16
    assert torch.equal(rotations(x), exact)
    shifts(images)
    assert shifts.half().prepared_0.dtype == torch.int64


def test_a_state_dict_brings_S_with_its_seed_and_calls_alone_or_in_a_module(shifts, images):
    S = sa.Oracle(SHIFT.group, seed=17).draw(9, identity=True)
    shifts(images)
    other = OrbitBatch(SHIFT, S)
    model = nn.Sequential(shifts, nn.Flatten())
    model.load_state_dict(load(save(nn.Sequential(other, nn.Flatten()).state_dict())))
    assert (shifts.sample, shifts.sample.calls, shifts.sample.origin) == (S, 8, S.origin)
    assert torch.equal(shifts(images), other(images))
    with torch.device("meta"):
        empty = OrbitBatch(SHIFT, drawn(SHIFT.group))
    empty.to_empty(device="cpu")
    empty.load_state_dict(shifts.state_dict())
    assert torch.equal(empty(images), shifts(images))


def test_the_state_of_another_group_or_a_damaged_one_is_refused_and_changes_nothing():
    four, eight = (OrbitBatch(sa.roll(sa.cyclic(n), (-1,)), drawn(sa.cyclic(n))) for n in (4, 8))
    good, before = eight.state_dict(), eight.elements.clone()
    facts = OrbitBatch(eight.action, drawn(sa.cyclic(8), seed=1)).state_dict()["_extra_state"]
    texts = [torch.tensor(list(text), dtype=torch.uint8) for text in (b"{", b"[]", b'{"calls": 1}')]
    for bad in (
        four.state_dict(),
        *(
            {"elements": part}
            for part in (good["elements"] + 8, None, torch.empty(5, 1, device="meta"))
        ),
        *({"_extra_state": part} for part in (facts, None, *texts)),
    ):
        with pytest.raises(ArgumentError, match="state_dict has no S of C8 under 'elements'"):
            eight.load_state_dict({**good, **bad})
        assert torch.equal(eight.elements, before)


def compiles_silently(orbit, x, *which):
    torch.compiler.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = torch.compile(orbit, fullgraph=True, backend="eager")
        assert torch.equal(compiled(x, *which), orbit(x, *which))


KINDS = {  # one of each; a user's function is the user's
    type(action): (action, x) for action, x in ACTIONS.values() if "function" not in vars(action)
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_it_compiles_whole_and_silently_for_every_kind_of_action(kind):
    action, x = KINDS[kind]
    orbit = OrbitBatch(action, drawn(action.group))
    orbit(torch.tensor(x))
    compiles_silently(orbit, torch.tensor(x))
    compiles_silently(orbit, torch.tensor(x), [0, 2])
