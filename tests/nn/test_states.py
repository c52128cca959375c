"""Saved states that are damaged, odd or of something else: refused by name, and nothing half-loaded."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.utils.data import TensorDataset

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.nn import (
    InvarianceMetric,
    OneShotDataset,
    OrbitAverage,
    OrbitBatch,
    OrbitBatchSampler,
    StreamingDataset,
)

GROUP = sa.cyclic(4)
ACT = sa.permute_axis(GROUP)
S = sa.GroupSample(GROUP, [[0], [1], [3]])
OTHER = sa.GroupSample(GROUP, [[2], [2]])


class Refusing:
    """An object of no use at all."""

    def __eq__(self, other):
        raise RuntimeError("compared")

    __hash__ = None


NO_STATES = {
    "None": None,
    "number": 3,
    "nan": float("nan"),
    "text": "state",
    "bytes": b"state",
    "list": [("epoch", 0)],
    "array": np.zeros(3),
    "tensor": torch.zeros(3),
    "object": object(),
    "empty": {},
    "numbered": {0: 1},
    "odd key": {None: 1},
}
NO_VALUES = {
    "None": None,
    "nan": float("nan"),
    "infinite": float("inf"),
    "negative": -1,
    "huge": 10**5000,
    "half": 0.5,
    "complex": 1j,
    "true": True,
    "text": "7",
    "bytes": b"7",
    "ragged": [[0], [1, 2]],
    "mapping": {"a": 1},
    "array": np.full((2, 2), np.nan),
    "objects": np.array([None, "a"], dtype=object),
    "bfloat16": torch.zeros(3, 1, dtype=torch.bfloat16) + 0.5,
    "complex tensor": torch.full((10,), 1j),
    "no memory": torch.empty(10, device="meta"),
    "sparse": torch.eye(3).to_sparse(),
    "object": Refusing(),
}
no_states = pytest.mark.parametrize("state", NO_STATES.values(), ids=NO_STATES)
no_values = pytest.mark.parametrize("value", NO_VALUES.values(), ids=NO_VALUES)


def sampler():
    data = OneShotDataset(TensorDataset(torch.ones(10, 4)), ACT, S)
    made = OrbitBatchSampler(data, 6)
    made.set_epoch(2)
    next(iter(made))
    return made


def stream(seed=1, group=GROUP, n=10, y=None):
    data = TensorDataset(torch.ones(n, 4), torch.ones(n, 4))
    made = StreamingDataset(data, sa.permute_axis(group), sa.Oracle(group, seed=seed), y)
    made.set_epoch(2)
    made.__getitems__([0, 1])
    return made


def metric():
    made = InvarianceMetric(lambda x: x * torch.arange(4), ACT, S, output_action=ACT)
    made.update(torch.ones(2, 4))
    return made


def average():
    return OrbitAverage(torch.nn.Linear(4, 4, bias=False), ACT, S, output_action=ACT)


def orbit():
    return OrbitBatch(ACT, S, sample_shape=(4,))


MADE = {made.__name__: made for made in (sampler, stream, orbit, metric, average)}
each = pytest.mark.parametrize("make", MADE.values(), ids=MADE)


def facts(thing):
    """Everything that loading may change."""
    state = {key: torch.as_tensor(value).tolist() for key, value in plain(thing.state_dict())}
    if isinstance(thing, InvarianceMetric):
        state["sums"] = thing.sums.tolist()
    return state


def plain(state):
    for key, value in state.items():
        if isinstance(value, dict):
            yield from ((f"{key}.{name}", hash(part)) for name, part in value.items())
        else:
            yield key, value


def keys_of(make):
    return [key for key in make().state_dict() if not key.startswith("model.")]


def refused(thing, state, match):
    before = facts(thing)
    with pytest.raises(ArgumentError, match=match):
        thing.load_state_dict(state)
    assert facts(thing) == before


@each
@no_states
def test_what_is_not_a_state_is_refused(make, state):
    refused(make(), state, "state")


@each
@no_values
def test_a_state_with_an_odd_value_is_refused_by_name_and_changes_nothing(make, value):
    for key in keys_of(make):
        thing = make()
        refused(
            thing, {**thing.state_dict(), key: value}, key.split(".")[-1].removesuffix("_digest")
        )


@each
def test_a_state_that_lacks_a_key_or_has_one_too_many_is_refused(make):
    for key in keys_of(make):
        thing = make()
        state = dict(thing.state_dict())
        del state[key]
        refused(thing, state, f"lacks .*{key}")
    if make is not average:  # where torch tells what its model does not know
        refused(make(), {**make().state_dict(), "more": torch.zeros(1)}, "more")


@pytest.mark.parametrize("make", [sampler, stream])
@no_values
def test_settings_with_an_odd_value_are_refused_by_name(make, value):
    settings = make().state_dict()["settings"]
    for name in settings:
        thing = make()
        if type(settings[name]) is type(value) and settings[name] == value:
            continue
        refused(thing, {**thing.state_dict(), "settings": {**settings, name: value}}, f" {name}=")
        fewer = {key: settings[key] for key in settings if key != name}
        refused(thing, {**thing.state_dict(), "settings": fewer}, f"lacks .*{name}")


def test_the_state_of_another_stream_is_refused():
    state = stream().state_dict()
    ways = [[1, 2, 3, 0], [1, 0, 3, 2]]
    named = [sa.permutation_group([way], label="own") for way in ways]  # one name, two groups
    for other, name in (
        (stream(seed=2), "seed"),
        (stream(group=sa.dihedral(4)), "group"),
        (stream(n=11), "n"),
        (stream(y=ACT), "y_action"),
    ):
        refused(other, state, f"another run: it has {name}=")
    stream().load_state_dict(state)
    refused(stream(group=named[0]), stream(group=named[1]).state_dict(), "group_sha256=")


def test_a_metric_takes_no_state_with_two_samples():
    other = InvarianceMetric(lambda x: x, ACT, OTHER, output_action=ACT).state_dict()
    along = {key: value for key, value in other.items() if key.startswith("along.")}
    mixed = {**metric().state_dict(), **along}
    refused(metric(), mixed, "one S for x and another for the outputs")
    thing = metric()
    only = {key: value for key, value in other.items() if key.startswith("orbit.")}
    with pytest.raises(ArgumentError, match="one S for x and another"):
        thing.load_state_dict(only, strict=False)
    thing.load_state_dict(other)
    assert thing.orbit.sample == OTHER


@pytest.mark.parametrize("make", [orbit, metric, average])
def test_another_sample_of_the_group_is_adopted_alone_or_in_a_module(make):
    state, other = copy.deepcopy(make().state_dict()), OrbitBatch(ACT, OTHER).state_dict()
    for key in state:
        state[key] = other.get(key.split(".")[-1], state[key])
    thing = make()
    thing.load_state_dict(state)
    inner = thing if make is orbit else thing.orbit
    assert inner.sample == OTHER
    holder = torch.nn.Sequential(make())
    holder.load_state_dict({f"0.{key}": value for key, value in state.items()})
    with pytest.raises(ArgumentError, match="elements"):
        holder.load_state_dict({f"0.{key}": None for key in state})


@pytest.mark.parametrize("make", [orbit, metric, average])
@pytest.mark.parametrize("inside", [False, True])
def test_the_state_keeps_seed_and_calls_of_S(make, inside, tmp_path):
    """Through safetensors, which holds tensors alone."""
    drawn = sa.Oracle(GROUP, seed=17).draw(5, identity=True)
    source, target = make(), make()
    parts = [thing if isinstance(thing, OrbitBatch) else thing.orbit for thing in (source, target)]
    parts[0].load_state_dict(OrbitBatch(ACT, drawn).state_dict())
    if make is metric:
        source.along.load_state_dict(OrbitBatch(ACT, drawn).state_dict())
    if inside:
        source, target = torch.nn.Sequential(source), torch.nn.Sequential(target)
    save_file(source.state_dict(), tmp_path / "state")
    target.load_state_dict(load_file(tmp_path / "state"))
    adopted = parts[1].sample
    assert adopted == drawn
    assert (adopted.calls, adopted.origin) == (4, drawn.origin)
    assert adopted.origin.seed == 17


def test_facts_of_another_S_are_refused():
    state = orbit().state_dict()
    state["_extra_state"] = OrbitBatch(ACT, OTHER).state_dict()["_extra_state"]
    refused(orbit(), state, "_extra_state.* is of another S than its elements")
    for text in (b"{", b"[]", b'{"calls": 1}', b"\xff"):
        state["_extra_state"] = torch.tensor(list(text), dtype=torch.uint8)
        refused(orbit(), state, "_extra_state")


@pytest.mark.parametrize("make", [orbit, metric, average])
def test_strict_false_is_advised_only_where_something_would_be_loaded(make):
    thing = make()
    with pytest.raises(ArgumentError, match=r"what state_dict returned\.$"):
        thing.load_state_dict({})
    part = dict(thing.state_dict())
    del part["elements" if make is orbit else "orbit.elements"]
    with pytest.raises(ArgumentError, match="or strict=False"):
        thing.load_state_dict(part)
