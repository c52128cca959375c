"""OrbitBatch: the copies of `augment`, on the device, compiled, saved, subset by subset, over ranks."""

from __future__ import annotations

import copy
import sys
import warnings

import numpy as np
import pytest
import torch
from safetensors.torch import load, save
from torch import nn

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.nn import OrbitBatch, orbit_batch
from tests.conftest import ACTIONS


def drawn(group, m=5, seed=0):
    return sa.Oracle(group, seed).draw(m)


@pytest.fixture
def images():
    return torch.randn(3, 2, 4, 4, generator=torch.Generator().manual_seed(0))


@pytest.fixture
def shifts():
    return OrbitBatch(sa.roll(sa.abelian(4, 4)), drawn(sa.abelian(4, 4)))


@pytest.fixture
def rotations():
    S = drawn(sa.groups.cube_rotations())
    return OrbitBatch(sa.linear(S.group), S)


def test_copies_are_those_of_augment_for_every_action(moving):
    action, x = moving
    S = drawn(action.group)
    expected, targets = sa.augment(action, S, x, np.arange(len(x)))
    orbit = OrbitBatch(action, S, sample_shape=x.shape[1:])
    for dtype in (torch.float64, torch.float32):
        copies = orbit(torch.tensor(x, dtype=dtype))
        assert copies.dtype == dtype
        assert np.array_equal(copies.numpy(), expected.astype(copies.numpy().dtype))
    assert torch.equal(orbit.repeat(torch.arange(len(x))), torch.as_tensor(targets))


def test_copy_j_B_plus_i_is_sample_i_moved_by_element_j(shifts, images):
    copies = shifts(images)
    for j, (a, b) in enumerate(shifts.sample.elements):
        for i in range(3):
            moved = torch.roll(images[i], (int(a), int(b)), (-2, -1))
            assert torch.equal(copies[3 * j + i], moved)


def test_a_stated_subset_gives_those_elements_in_that_order(shifts, images):
    whole = shifts(images).unflatten(0, (5, 3))
    targets = torch.arange(6).reshape(3, 2)
    for which, positions in (
        (slice(1, 3), [1, 2]),
        (slice(None, None, -2), [4, 2, 0]),
        ([3, 0, 3], [3, 0, 3]),
        ((2,), [2]),
        (torch.tensor([4, 1]), [4, 1]),
        (torch.tensor([4, 1], dtype=torch.int32), [4, 1]),
        (torch.tensor([4, 1], dtype=torch.int16), [4, 1]),
        (np.array([1, 0]), [1, 0]),
    ):
        assert torch.equal(shifts(images, which), whole[positions].flatten(0, 1))
        repeated = shifts.repeat(targets, which)
        assert torch.equal(repeated, torch.cat([targets] * len(positions)))


def test_move_each_moves_data_j_by_element_j(rotations):
    x = torch.randn(5, 4, 3)
    moved = rotations.move_each(x)
    for j in range(5):
        assert torch.equal(moved[j], rotations(x[j], [j]))
    assert torch.equal(rotations.move_each(x[:2], slice(3, 5))[1], rotations(x[1], [4]))
    with pytest.raises(
        ArgumentError, match="x has 4 entries on axis 0, but which names 5 elements"
    ):
        rotations.move_each(x[:4])


@pytest.mark.parametrize(("m", "size"), [(6, 2), (7, 3), (5, 5), (4, 1)])
def test_every_pass_of_subsets_goes_through_S_once(m, size):
    orbit = OrbitBatch(sa.roll(sa.abelian(4, 4)), drawn(sa.abelian(4, 4), m))
    steps = -(-m // size)
    passes = []
    for turn in range(3):
        chosen = [orbit.subset(step, size) for step in range(turn * steps, (turn + 1) * steps)]
        assert all(len(positions) <= size for positions in chosen)
        passes.append(torch.cat(chosen).tolist())
        assert sorted(passes[-1]) == list(range(m))
    other = torch.cat([orbit.subset(step, size, seed=1) for step in range(steps)]).tolist()
    if m > 4:
        assert len({tuple(order) for order in (*passes, other)}) == 4
    assert torch.equal(orbit.subset(1, size, seed=3), copy.deepcopy(orbit).subset(1, size, seed=3))


def test_another_shape_or_precision_prepares_anew(rotations):
    x = torch.randn(2, 3, dtype=torch.float64)
    exact = rotations(x)
    rotations(torch.randn(2, 7, 3))
    assert rotations(x.half()).dtype == torch.float16
    assert torch.equal(rotations(x), exact)
    rotations.to(torch.bfloat16).to(torch.float64)
    assert torch.equal(rotations(x), exact)


def test_a_change_of_precision_leaves_integers_alone_and_matrices_exact():
    turn = next(irrep for irrep in sa.dihedral(5).irreps() if irrep.dimension == 2)
    S = drawn(sa.dihedral(5))
    orbit = OrbitBatch(sa.linear(S.group, turn.matrices), S, sample_shape=(2,))
    orbit.to(torch.bfloat16).to(torch.float64)
    assert orbit.elements.dtype == torch.int64
    assert np.array_equal(orbit.prepared_0.numpy(), turn.matrices(S.elements))
    flips = OrbitBatch(sa.flip_signs(sa.sign_flips(2)), drawn(sa.sign_flips(2)), sample_shape=(2,))
    assert flips.half().prepared_0.dtype == torch.int64
    assert flips(torch.ones(1, 2).half()).dtype == torch.float16


def test_the_state_dict_holds_S_and_its_group_alone_and_is_adopted(shifts, images):
    assert set(shifts.state_dict()) == {"elements", "group_digest", "_extra_state"}
    shifts(images)
    other = OrbitBatch(shifts.action, drawn(sa.abelian(4, 4), m=9, seed=1))
    model = nn.Sequential(shifts, nn.Flatten())
    model.load_state_dict(load(save(nn.Sequential(other, nn.Flatten()).state_dict())))
    assert shifts.m == 9
    assert shifts.sample == other.sample
    assert torch.equal(shifts(images), other(images))


def test_a_state_dict_of_another_group_is_refused():
    four, eight = (OrbitBatch(sa.roll(sa.cyclic(n), (-1,)), drawn(sa.cyclic(n))) for n in (4, 8))
    before = eight.elements.clone()
    with pytest.raises(ArgumentError, match="S of another group than C8 under 'elements'"):
        eight.load_state_dict(four.state_dict())
    state = eight.state_dict()
    state["elements"] = state["elements"] + 8
    with pytest.raises(ArgumentError, match="no S of C8 under 'elements'"):
        eight.load_state_dict(state)
    assert torch.equal(eight.elements, before)


def test_a_module_made_without_memory_is_filled_by_its_state_dict(shifts, images):
    with torch.device("meta"):
        empty = OrbitBatch(shifts.action, drawn(sa.abelian(4, 4), seed=1))
    empty.to_empty(device="cpu")
    empty.group_digest.zero_()  # whatever was in memory
    empty.load_state_dict(shifts.state_dict())
    assert torch.equal(empty(images), shifts(images))
    assert empty.state_dict().keys() == shifts.state_dict().keys()
    assert torch.equal(empty.group_digest, shifts.group_digest)


def test_gradients_flow_after_a_first_batch_in_inference_mode(rotations):
    x = torch.randn(2, 3)
    with torch.inference_mode():
        rotations(x)
    x.requires_grad_()
    rotations(x).square().sum().backward()
    torch.testing.assert_close(x.grad, 10 * x.detach())  # five rotations keep the length


def test_the_sample_is_the_one_given_with_its_cost(shifts):
    assert shifts.sample.calls == 5
    assert shifts.m == 5
    assert copy.deepcopy(shifts).sample == shifts.sample
    assert "Roll of C4xC4, m=5" in repr(shifts)


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
    orbit = OrbitBatch(action, drawn(action.group), sample_shape=x.shape[1:]).double()
    compiles_silently(orbit, torch.tensor(x))


def test_what_a_linear_action_is_is_decided_before_it_is_traced(monkeypatch):
    """A decision by the values of its matrices would break the graph of torch.compile."""
    own, listed = sa.groups.cube_rotations(), sa.cyclic(2)
    actions = [sa.linear(own), sa.linear(listed, [np.eye(3), np.diag([-1.0, 1.0, 1.0])])]
    orbits = [OrbitBatch(act, drawn(act.group), sample_shape=(3,)) for act in actions]

    def decided_late(matrices):
        raise AssertionError("the matrices are looked at while the graph is made")

    module = sys.modules["sparseaug.actions.linear"]  # the package has a function by that name
    monkeypatch.setattr(module, "are_signed_permutations", decided_late)
    for orbit in orbits:
        compiles_silently(orbit, torch.randn(2, 3))
    assert [act.kind for act in actions] == ["signs", "signs"]


@pytest.mark.parametrize("which", [torch.tensor([3, 1]), slice(1, 4), [0, 2]])
def test_subsets_compile_too(shifts, images, which):
    shifts(images)
    compiles_silently(shifts, images, which)


def test_gradients_reach_the_batch_and_its_model(shifts, images):
    images.requires_grad_()
    weights = torch.randn(15, 2, 4, 4)
    (shifts(images) * weights).sum().backward()
    expected = sum(
        torch.roll(weights[3 * j : 3 * j + 3], (-int(a), -int(b)), (-2, -1))
        for j, (a, b) in enumerate(shifts.sample.elements)
    )
    torch.testing.assert_close(images.grad, expected)


@pytest.mark.parametrize("accelerator", [False, True])
@pytest.mark.parametrize("which", [None, [3, 1]])
@pytest.mark.parametrize("form", [torch.channels_last, torch.channels_last_3d])
def test_copies_keep_the_memory_format_of_the_batch(form, which, accelerator, monkeypatch):
    monkeypatch.setattr(orbit_batch, "_is_accelerator", lambda device: accelerator)
    shape = (3, 2, 4, 4) if form is torch.channels_last else (3, 2, 5, 4, 4)
    x = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    orbit = OrbitBatch(sa.roll(sa.abelian(4, 4)), drawn(sa.abelian(4, 4)))
    plain = orbit(x, which)
    assert plain.is_contiguous()
    copies = orbit(x.contiguous(memory_format=form).requires_grad_(), which)
    assert torch.equal(copies, plain)
    assert copies.is_contiguous(memory_format=form)
    assert not copies.is_contiguous()
    several = OrbitBatch(sa.together(image=orbit.action, mask=orbit.action), orbit.sample)
    both = several({"mask": x, "image": x.contiguous(memory_format=form)}, which)
    assert both["image"].is_contiguous(memory_format=form)
    assert both["mask"].is_contiguous()


def test_x_on_another_device_is_answered_with_the_remedy(shifts, images):
    with pytest.raises(ArgumentError, match=r"x is on meta, but S is on cpu; .*\.to\('meta'\)"):
        shifts(images.to("meta"))
    with pytest.raises(ArgumentError, match=r"x is on cpu, but S is on meta; .*\.to\('cpu'\)"):
        copy.deepcopy(shifts).to("meta")(images)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda orbit, x: orbit((x, x)), "x is a tuple, but Roll moves one array"),
        (lambda orbit, x: orbit(x[0, 0, 0]), r"x has shape \(4,\); give at least 2 axes"),
        (lambda orbit, x: orbit(x[..., :3]), "x has 3 entries on axis -1"),
        (lambda orbit, x: orbit(x, [5]), "which=5 is not allowed"),
        (lambda orbit, x: orbit(x, [-1]), "which=-1 is not allowed"),
        (lambda orbit, x: orbit(x, torch.tensor([5])), "which=5 is not allowed"),
        (lambda orbit, x: orbit(x, torch.tensor([-1])), "which=-1 is not allowed"),
        (lambda orbit, x: orbit(x, torch.tensor([True] * 5)), "which has .* dtype torch.bool"),
        (lambda orbit, x: orbit(x, torch.tensor([0.0])), "which has .* dtype torch.float32"),
        (lambda orbit, x: orbit(x, []), r"which has shape \(0,\)"),
        (lambda orbit, x: orbit(x, slice(9, 10)), r"which has shape \(0,\)"),
        (lambda orbit, x: orbit.subset(0, 6), "size=6"),
        (lambda orbit, x: OrbitBatch(orbit.action, drawn(sa.cyclic(4))), "S is a sample of C4"),
    ],
)
def test_input_that_does_not_fit_S_is_answered(shifts, images, call, message):
    with pytest.raises(ArgumentError, match=message):
        call(shifts, images)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_device_that_is_not_there_is_named():
    act = sa.permute_axis(sa.symmetric(4))
    orbit = OrbitBatch(act, drawn(act.group))
    with pytest.raises(ArgumentError, match="device cannot hold S"):
        orbit.to("cuda")
    assert orbit.elements.device.type == "cpu"


class TestAsOnAnAccelerator:
    """Copies by one index of all cells, which needs no accelerator to be right."""

    ACT = sa.permute_axis(sa.symmetric(4), 1)
    X = torch.arange(24.0).reshape(2, 4, 3)

    @pytest.fixture(autouse=True)
    def accelerator(self, monkeypatch):
        monkeypatch.setattr(orbit_batch, "_is_accelerator", lambda device: True)

    def batch(self, seed):
        return OrbitBatch(self.ACT, sa.Oracle(self.ACT.group, seed=seed).draw(5))

    def copies(self, orbit, x):
        moved = self.ACT(orbit.elements.numpy(), x.detach())
        return moved.flatten(0, 1)

    def test_copies_and_gradients_are_those_of_the_action_for_every_batch_size(self):
        orbit = self.batch(0)
        for size in (2, 1, 2):
            x = self.X[:size].clone().requires_grad_()
            assert torch.equal(orbit(x), self.copies(orbit, x))
            assert orbit._kept_cells[1] is not None
            (orbit(x) ** 2).sum().backward()
            assert torch.allclose(x.grad, 2 * 5 * x.detach())

    def test_every_s_that_is_loaded_moves_the_next_batch(self):
        orbit = self.batch(0)
        for seed in (1, 2, 3, 1):
            other = self.batch(seed)
            orbit.load_state_dict(other.state_dict())
            assert torch.equal(orbit(self.X), self.copies(other, self.X))

    def test_arrays_that_another_rank_changes_in_place_are_noticed(self):
        orbit, other = self.batch(0), self.batch(1)
        orbit(self.X), other(self.X)
        with torch.no_grad():
            for mine, theirs in zip(orbit.buffers(), other.buffers(), strict=True):
                mine.copy_(theirs)
        assert torch.equal(orbit(self.X), self.copies(other, self.X))

    def test_it_works_in_inference_mode(self):
        with torch.inference_mode():
            orbit = self.batch(0)
            assert torch.equal(orbit(self.X), self.copies(orbit, self.X))
