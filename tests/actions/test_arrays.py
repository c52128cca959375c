"""The door for data: known arrays in any layout, and every other type refused by name."""

from __future__ import annotations

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.actions.arrays import as_numpy, is_traced
from sparseaug.errors import ArgumentError
from tests.extras import optional

torch = optional("torch")
pd = optional("pandas")

ACT = sa.permute_axis(sa.symmetric(3))
E = ACT.group.identity()
S = sa.GroupSample(ACT.group, E)
X = np.arange(6.0).reshape(2, 3)


class Units(np.ndarray):
    """A subclass of NumPy's arrays, whose units an index would drop."""


class Lookalike:
    """An array of another library: everything that NumPy would convert without a word."""

    shape, ndim, dtype = (2, 3), 2, np.dtype(float)

    def __array__(self, dtype=None, copy=None):
        return X

    def __array_namespace__(self, api_version=None):
        return np

    def __len__(self):
        return 2

    def __getitem__(self, key):
        return X[key]


OTHERS = [
    (None, "NoneType"),
    ([[1.0, 2.0, 3.0]], "list"),
    ("abc", "str"),
    (3.0, "float"),
    (np.float64(3.0), "numpy.float64"),
    (memoryview(X), "memoryview"),
    (pd.DataFrame(X), "pandas.DataFrame"),
    (pd.Series(X[0]), "pandas.Series"),
    (np.ma.masked_array(X), "numpy.MaskedArray"),
    (X.view(Units), "Units"),
    (Lookalike(), "Lookalike"),
    (object(), "object"),
]


@pytest.mark.parametrize(("value", "kind"), OTHERS, ids=[kind for _, kind in OTHERS])
def test_any_other_type_is_refused_by_name(value, kind):
    for name, call in (
        ("x", lambda: ACT(E, value)),
        ("x", lambda: sa.permute_nodes(ACT.group)(E, (np.zeros((2, 3, 3)), value))),
        ("function", lambda: sa.custom_action(ACT.group, lambda g, x: value)(E, X)),
    ):
        with pytest.raises(ArgumentError, match=rf"^{name} .* a .*{kind}"):
            call()


@pytest.mark.parametrize(
    "x",
    [
        *(X.astype(kind) for kind in (object, str, "datetime64[s]")),
        *(np.zeros(shape) for shape in ((), (3,), (0,))),
        torch.tensor(X).to_sparse(),
        torch.tensor(X).to(torch.float8_e5m2),
    ],
)
def test_arrays_of_what_cannot_be_moved_are_refused(x):
    with pytest.raises(ArgumentError):
        ACT(E, x)


def lazy():
    """Tensors whose memory holds other values than they stand for: conjugates, negatives."""
    z = torch.complex(torch.tensor(X), torch.tensor(X[::-1].copy()))
    return [z.conj(), z.conj().imag]


def test_tensors_that_are_conjugated_or_negated_later_are_the_values_they_stand_for():
    shift = [[1, 2, 0]]
    for x in lazy():
        plain = x.clone().resolve_conj().resolve_neg()
        assert x.is_conj() or x.is_neg()
        assert not plain.is_conj()
        assert not plain.is_neg()
        assert np.array_equal(as_numpy(x), plain.numpy())
        assert torch.equal(ACT(shift, x), ACT(shift, plain))
        assert torch.equal(
            *(sa.augment(ACT, sa.GroupSample(ACT.group, shift), data, X)[0] for data in (x, plain))
        )
    p = [
        sa.test_invariance(data, ACT, sa.GroupSample.full(ACT.group)).pvalue for data in (x, plain)
    ]
    assert p[0] == p[1]
    assert not is_traced(x)


def test_layout_and_write_protection_make_no_difference(moving, rng):
    action, x = moving
    a = action.group.sample(3, rng)
    wanted = action(a, x)
    protected = x.copy()
    protected.flags.writeable = False
    padded = np.zeros((*x.shape[:-1], 2 * x.shape[-1]))
    padded[..., ::2] = x
    rows = a.copy()
    rows.flags.writeable = False
    for data in (
        protected,
        np.asfortranarray(x),
        padded[..., ::2],
        x[::-1].copy()[::-1],
        np.ascontiguousarray(x[..., ::-1])[..., ::-1],
    ):
        before = data.copy()
        assert np.array_equal(action(rows, data), wanted)
        assert np.array_equal(action(np.asfortranarray(rows), data), wanted)
        assert np.array_equal(data, before)


def test_nan_infinities_truth_values_and_complex_numbers_are_moved_as_they_are(rng):
    p = np.array([[1, 2, 0]])
    for x in (
        np.array([[np.nan, np.inf, -np.inf]]),
        np.array([[True, False, True]]),
        np.array([[1 + 2j, -3j, 0]]),
        np.array([[1e308, -1e-308, 0.0]]),
        np.array([[1, 2, 3]], np.uint8),
    ):
        moved = ACT(p, x)[0]
        assert moved.dtype == x.dtype
        assert np.array_equal(moved, x[:, [2, 0, 1]], equal_nan=x.dtype.kind == "f")


def test_labels_may_be_text_as_they_only_repeat():
    two = sa.GroupSample(ACT.group, np.repeat(E, 2, axis=0))
    for kind in (str, object):
        y = np.array(["a", "b"], kind)
        assert sa.augment(ACT, two, X, y)[1].tolist() == ["a", "b", "a", "b"]
