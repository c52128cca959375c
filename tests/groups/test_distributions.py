"""What can be drawn and is no group: rows, JSON, files, points of the cube, and what is refused."""

import json

import numpy as np
import pytest
from scipy.stats import kstest

import sparseaug as sa
from sparseaug.errors import ArgumentError, ElementError, UnsupportedError
from sparseaug.groups import Group, distribution_from_dict
from sparseaug.groups.distributions.seeds import Seeds
from sparseaug.spectrum.pool import sobol


def shake(x, rng):
    return x + rng.normal(size=x.shape)


AFFINE = sa.random_affine(degrees=30, translate=0.1, scale=(0.8, 1.2), shear=5)
EVERY = {
    "seeds": sa.random_transform(shake).distribution,
    "ranges": AFFINE.distribution,
    "independent": sa.product_action(AFFINE, sa.random_transform(shake)).distribution,
    "with a group": sa.product_action(AFFINE, sa.flip()).distribution,
    "group": sa.symmetric(5),
}


@pytest.mark.parametrize("name", EVERY)
def test_draws_are_elements_and_come_back_from_json_and_files(name, tmp_path):
    of = EVERY[name]
    S = sa.Oracle(of, seed=3, budget=20).draw(20)
    assert S.elements.shape == (20, of.width)
    assert S.elements.dtype == of.row_dtype
    assert of.contains(S.elements).all()
    assert S.calls == 20
    assert distribution_from_dict(json.loads(json.dumps(of.to_dict()))) == of
    assert sa.GroupSample.from_dict(json.loads(json.dumps(S.to_dict()))) == S
    S.save(tmp_path / "S.safetensors")
    again = sa.GroupSample.load(tmp_path / "S.safetensors")
    assert again == S
    assert again.sha256 == S.sha256
    assert again.distribution == of
    later = sa.Oracle(of, seed=3)
    later.draw(7)
    np.testing.assert_array_equal(later.draw(13).elements, S.elements[7:])


def test_a_group_is_its_own_distribution():
    act = sa.permute_axis(sa.symmetric(4))
    assert act.distribution is act.group
    assert isinstance(act.distribution, Group)
    S = sa.Oracle(act.group).draw(3)
    assert S.group is S.distribution


def test_points_of_the_cube_become_uniform_elements():
    of = EVERY["with a group"]
    rows = of.quantile(np.random.default_rng(0).random((4000, of.dimensions)))
    low, high = AFFINE.distribution.ends
    for j in range(5):  # by the law of large numbers; p below 1e-4 in one of 2000 seeds
        assert kstest((rows[:, j] - low[j]) / (high[j] - low[j]), "uniform").pvalue > 1e-4
    assert abs(rows[:, 5].mean() - 0.5) < 0.04
    every = sa.symmetric(3).quantile(np.random.default_rng(0).random((600, 2)))
    counts = np.unique(every, axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert counts.min() > 60


def test_the_mean_of_the_smooth_kernel_is_one_and_sobol_points_are_near_it():
    affine = sa.random_affine(degrees=9, translate=0.1)
    act = sa.product_action(sa.random_color(0.2, 0.1), sa.product_action(affine, sa.flip()))
    of, rng = act.distribution, np.random.default_rng(0)
    even = of._smooth_kernel(of.quantile(sobol(of.dimensions, 512)))
    drawn = of._smooth_kernel(of.sample(512, rng))
    assert abs(even.mean() - 1) < 3e-4 < drawn.mean() - 1 < 0.01
    assert np.linalg.eigvalsh(drawn)[0] > 0
    assert (Seeds("f")._smooth_kernel(np.ones((3, 1), np.int64)) == 1).all()


def test_what_is_no_element_or_no_point_is_refused():
    with pytest.raises(ElementError, match="parameters lie in their ranges"):
        AFFINE(np.array([[31.0, 0, 0, 1, 0]]), np.zeros((1, 4, 4)))
    with pytest.raises(ElementError, match="one seed of at least 0"):
        sa.GroupSample(Seeds("f"), [[-1]])
    with pytest.raises(ArgumentError, match=r"in \[0, 1\)"):
        AFFINE.distribution.quantile(np.ones((1, 5)))
    with pytest.raises(UnsupportedError, match="has no parameters"):
        Seeds("f").quantile([[0.5]])
    with pytest.raises(ArgumentError, match="is a sample of"):
        sa.augment(AFFINE, sa.Oracle(Seeds("f")).draw(2), np.zeros((1, 4, 4)))


def test_an_action_of_a_distribution_has_no_group():
    act = sa.random_transform(shake)
    S = sa.Oracle(act.distribution, seed=0).draw(4)
    assert not hasattr(S, "group")
    with pytest.raises(AttributeError, match=r"no group.*Oracle, orbit_spectrum"):
        _ = act.group
