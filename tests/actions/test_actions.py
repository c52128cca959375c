"""Every action: the left law exactly, on NumPy and torch, differentiably; and bad input."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError, LawError
from sparseaug.testing import check_action
from tests.extras import optional

torch = optional("torch")

K = 6


def test_act_of_a_product_is_the_action_twice(moving, rng):
    """act(compose(a, b), x) == act(a, act(b, x)), every pair of K x K elements, to the last bit."""
    action, x = moving
    a, b = action.group.sample(K, rng), action.group.sample(K, rng)
    once = action(b, x)
    assert once.shape == (K, *x.shape)
    for j in range(K):
        twice = action(a, np.ascontiguousarray(once[j]))
        assert np.array_equal(twice, action(action.group.compose(a, b[j : j + 1]), x))


def test_the_identity_moves_nothing_and_inverses_undo(moving, rng):
    action, x = moving
    assert np.array_equal(action(action.group.identity(), x)[0], x)
    a = action.group.sample(1, rng)
    moved = np.ascontiguousarray(action(a, x)[0])
    assert np.array_equal(action(action.group.inverse(a), moved)[0], x)


def test_every_action_passes_the_public_check(moving):
    check_action(*moving)


def test_torch_gives_the_same_numbers(moving, rng):
    action, x = moving
    a = action.group.sample(K, rng)
    expected = action(a, x)
    for dtype in (torch.float64, torch.float32):
        tensor = torch.tensor(x, dtype=dtype)
        moved = action(a, tensor)
        assert moved.dtype == dtype
        assert np.array_equal(moved.numpy(), expected.astype(moved.numpy().dtype))
        assert torch.equal(action(torch.as_tensor(a), tensor), moved)


def test_gradients_flow_to_the_data(moving, rng):
    action, x = moving
    a = action.group.sample(2, rng)
    tensor = torch.tensor(x[:1], requires_grad=True)
    assert torch.autograd.gradcheck(lambda t: action(a, t), (tensor,), fast_mode=True)


def test_integer_data_stays_integer(rng):
    for action, shape in (
        (sa.permute_axis(sa.symmetric(4)), (2, 4)),
        (sa.roll(sa.abelian(3, 3)), (2, 3, 3)),
        (sa.rotate_grid(sa.dihedral(4)), (2, 3, 3)),
        (sa.move_grid(sa.grid_symmetries(3)), (2, 3, 3)),
        (sa.flip_signs(sa.sign_flips(4)), (2, 4)),
        (sa.signed_permute(sa.hyperoctahedral(4)), (2, 4)),
    ):
        x = rng.integers(-9, 9, shape).astype(np.int32)
        assert action(action.group.sample(3, rng), x).dtype == np.int32


def test_permutations_move_entry_i_to_place_g_of_i():
    x = np.array([[10, 20, 30]])
    moved = sa.permute_axis(sa.symmetric(3))(np.array([[1, 2, 0]]), x)[0, 0]
    for i, image in enumerate([1, 2, 0]):
        assert moved[image] == x[0, i]


@pytest.mark.parametrize("name", ["numpy", "torch"])
def test_a_part_without_an_action_stays_in_copies_of_its_own(rng, name):
    library = pytest.importorskip(name)
    turn = sa.rotate(sa.rotations(3))
    rows = turn.group.sample(4, rng)
    energy, forces = rng.normal(size=(2, 1)), rng.normal(size=(2, 5, 3))
    x = {"energy": library.asarray(energy.copy()), "forces": library.asarray(forces)}
    moved = sa.together(forces=turn, energy=None)(rows, x)
    assert np.array_equal(moved["energy"], np.stack([energy] * 4))
    assert np.allclose(moved["forces"], turn(rows, forces))
    moved["energy"][:] = 0
    assert np.array_equal(x["energy"], energy)


def test_nodes_and_features_move_together(rng):
    g = sa.symmetric(5)
    adjacency, features = rng.normal(size=(3, 5, 5)), rng.normal(size=(3, 5, 2))
    a = g.sample(4, rng)
    moved, carried = sa.permute_nodes(g)(a, (adjacency, features))
    for j, p in enumerate(a):
        for u in range(5):
            assert np.array_equal(carried[j, :, p[u]], features[:, u])
            for v in range(5):
                assert np.array_equal(moved[j, :, p[u], p[v]], adjacency[:, u, v])
    check_action(sa.permute_nodes(g), (adjacency, features))


def test_rolls_and_turns_are_numpys_own(rng):
    x = rng.normal(size=(2, 3, 4, 4))
    shifts = sa.abelian(4, 4).sample(5, rng)
    for shift, moved in zip(shifts, sa.roll(sa.abelian(4, 4))(shifts, x), strict=True):
        assert np.array_equal(moved, np.roll(x, tuple(shift), axis=(-2, -1)))
    for turns, flip in np.concatenate(list(sa.dihedral(4).elements())):
        moved = sa.rotate_grid(sa.dihedral(4))(np.array([[turns, flip]]), x)[0]
        plain = x[..., ::-1] if flip else x
        assert np.array_equal(moved, np.rot90(plain, turns, axes=(-2, -1)))


def test_moving_a_grid_is_rolling_after_turning_after_flipping(rng):
    x = rng.normal(size=(2, 3, 6, 6))
    for n in (1, 2, 3, 6):
        group = sa.grid_symmetries(n)
        move, shift = sa.move_grid(group), sa.roll(sa.abelian(n, n))
        turn = sa.rotate_grid(sa.dihedral(4))
        for row in group.sample(40, rng):
            flipped = x[..., ::-1] if row[3] else x
            turned = np.rot90(flipped, row[2], axes=(-2, -1))
            rolled = np.roll(turned, tuple(row[:2] * (6 // n)), axis=(-2, -1))
            assert np.array_equal(move(row[None], x)[0], rolled)
            no_shift, only_shift = row * [0, 0, 1, 1], row * [1, 1, 0, 0]
            assert np.array_equal(move([no_shift], x), turn([row[2:]], x))
            assert np.array_equal(move([only_shift], x), shift([row[:2]], x))
    cells = sa.permute_axis(sa.grid_symmetries(6))
    rows = cells.group.sample(50, rng)
    flat = cells(rows, x.reshape(2, 3, 36)).reshape(50, *x.shape)
    assert np.array_equal(sa.move_grid(cells.group)(rows, x), flat)


def test_linear_takes_matrices_in_rank_order_or_a_function(rng):
    g = sa.dihedral(5)
    turn = next(irrep for irrep in g.irreps() if irrep.dimension == 2)
    rows = np.concatenate(list(g.elements()))
    x = rng.normal(size=(3, 2))
    a = g.sample(4, rng)
    by_function, by_rank = sa.linear(g, turn.matrices), sa.linear(g, turn.matrices(rows))
    assert np.array_equal(by_function(a, x), by_rank(a, x))
    assert np.allclose(by_rank(a, x), np.einsum("kab,nb->kna", turn.matrices(a), x), atol=1e-15)
    check_action(by_rank, x)


def test_a_right_action_is_refused():
    def right(elements, x):
        return np.swapaxes(x.T[elements], 1, 2)  # x[g(i)]: a right action of S_3

    x = np.arange(6.0).reshape(2, 3)
    with pytest.raises(LawError, match="differs from act"):
        check_action(sa.custom_action(sa.symmetric(3), right), x)
    with pytest.raises(LawError, match="the identity moves x"):
        check_action(sa.custom_action(sa.cyclic(2), lambda g, x: np.stack([x + 1] * len(g))), x)
    check_action(sa.custom_action(sa.cyclic(3), right_on_circle), x)  # where order cannot matter


def right_on_circle(elements, x):
    return np.stack([np.roll(x, -int(s), axis=1) for s in elements[:, 0]])


def test_no_elements_and_no_samples_are_fine(moving):
    action, x = moving
    nothing = np.empty((0, action.group.width), np.int64)
    assert action(nothing, x).shape == (0, *x.shape)
    assert action(action.group.identity(), x[:0]).shape == (1, 0, *x.shape[1:])
    assert action(nothing, torch.tensor(x)).shape == (0, *x.shape)


def test_rows_may_be_any_integers(rng):
    for name, shape in (("S4", (2, 4)), ("C200", (2, 200))):
        action = sa.permute_axis(sa.group(name))
        rows, x = action.group.sample(3, rng), rng.normal(size=shape)
        for kind in (np.uint8, np.int32, np.uint16):
            assert np.array_equal(action(rows.astype(kind), x), action(rows, x))
        assert np.array_equal(action(rows.tolist(), x), action(rows, x))


def test_a_users_function_cannot_change_the_sample():
    S = sa.Oracle(sa.symmetric(3), seed=0).draw(4)
    before = S.elements.copy()

    def careless(elements, x):
        elements[:] = 0
        return (torch if isinstance(x, torch.Tensor) else np).stack([x] * len(elements))

    for x in (np.zeros((2, 3)), torch.zeros((2, 3))):
        sa.custom_action(S.group, careless)(S, x)
    assert np.array_equal(S.elements, before)


def test_laws_are_checked_on_data_with_gaps():
    """NaN stays NaN and infinity infinity: moving them is no broken law."""
    x = np.array([[np.nan, np.inf, -np.inf, 1.0]])
    check_action(sa.permute_axis(sa.symmetric(4)), x)
    check_action(sa.signed_permute(sa.hyperoctahedral(4)), x)
    right = sa.custom_action(sa.symmetric(4), lambda g, x: x[:, g].swapaxes(0, 1))
    with pytest.raises(LawError):
        check_action(right, x)


def test_every_wrong_matrix_of_a_list_is_found():
    g = sa.symmetric(4)
    rows = np.concatenate(list(g.elements()))
    matrices = np.eye(4)[rows].swapaxes(1, 2)
    sa.linear(g, matrices)
    for i in range(24):
        wrong = matrices.copy()
        wrong[i] *= -1
        with pytest.raises(ArgumentError, match="not a representation"):
            sa.linear(g, wrong)


def test_augment_repeats_targets_or_moves_them(rng):
    g = sa.symmetric(3)
    S = sa.Oracle(g, seed=0).draw(4)
    act = sa.permute_axis(g)
    x, y = rng.normal(size=(5, 3)), rng.normal(size=5)
    moved, targets = sa.augment(act, S, x, y)
    assert moved.shape == (20, 3)
    assert np.array_equal(targets, np.tile(y, 4))
    for j in range(4):
        for i in range(5):
            assert np.array_equal(moved[j * 5 + i], act(S.elements[j : j + 1], x[i : i + 1])[0, 0])
    assert np.array_equal(act(S, x), act(S.elements, x))
    both, along = sa.augment(act, S, x, x, y_action=act)
    assert np.array_equal(both, along)
    tensors = sa.augment(act, S, torch.tensor(x), torch.tensor(y))
    assert np.array_equal(tensors[0].numpy(), moved)
    assert np.array_equal(tensors[1].numpy(), targets)


def test_matrices_that_move_everything_to_zero_are_no_representation():
    with pytest.raises(ArgumentError, match="unit matrix"):
        sa.linear(sa.cyclic(2), np.zeros((2, 2, 2)))


S3, X = sa.symmetric(3), np.zeros((2, 3))


def on_a_cube(x):
    return sa.linear(sa.groups.cube_rotations())([[0]], x)


@pytest.mark.parametrize(
    "call",
    [
        lambda: sa.permute_axis(sa.symmetric(3), -2)([[0, 1, 2]], np.zeros((3, 3))),
        lambda: sa.roll(sa.cyclic(4), (-1,))([[1]], np.zeros((1, 6))),
        lambda: sa.roll(sa.abelian(3, 3), (-1, -1)),
        lambda: sa.rotate_grid(sa.dihedral(4))([[1, 0]], np.zeros((1, 4, 5))),
        lambda: sa.move_grid(sa.grid_symmetries(4))([[0] * 4], np.zeros((1, 6, 6))),
        lambda: sa.flip_signs(sa.sign_flips(3))([[0, 1, 0]], np.zeros((2, 3), np.uint8)),
        lambda: sa.linear(sa.symmetric(3), np.full((6, 2, 2), np.nan)),
        lambda: sa.linear(sa.cyclic(4), list(sa.cyclic(4).irreps())[1].matrices),
        lambda: on_a_cube(np.zeros((1, 3), np.int64)),
        lambda: on_a_cube(np.full((1, 3), np.inf)),
        lambda: sa.custom_action(sa.cyclic(2), lambda g, x: x)([[0]], np.zeros((2, 3))),
        lambda: sa.augment(sa.flip(), sa.GroupSample("C3", [[0]]), np.zeros((2, 3))),
    ],
)
def test_what_would_move_otherwise_than_said_is_refused(call):
    with pytest.raises(ArgumentError):
        call()


def test_a_matrix_group_acts_by_its_own_matrices_wherever_the_identity_is_listed():
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    group = sa.matrix_group([turn, -np.eye(2), -turn, np.eye(2)])
    moved = sa.linear(group)(np.arange(4)[:, None], np.eye(2))
    assert np.array_equal(moved, group.matrices.swapaxes(1, 2))
