"""Pipelines of other libraries, against the libraries themselves where they are installed."""

import pickle

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError


def test_albumentations_gives_each_sample_the_map_of_the_row():
    A = pytest.importorskip("albumentations")
    pipeline = A.Compose([A.RandomCrop(8, 8), A.HorizontalFlip()])
    act = sa.sources.albumentations(pipeline)
    x = np.arange(2 * 16 * 16 * 3, dtype=np.float32).reshape(2, 16, 16, 3) / 1536
    S = sa.Oracle(act.distribution, seed=0).draw(6)
    copies = act(S, x)
    assert copies.shape == (6, 2, 8, 8, 3)
    np.testing.assert_allclose(copies[:, 1] - copies[:, 0], 0.5, atol=1e-6)  # one map for both
    seed = int(np.random.default_rng(int(S.elements[3, 0])).integers(1 << 31))
    pipeline.set_random_seed(seed)
    np.testing.assert_array_equal(copies[3, 1], pipeline(image=x[1])["image"])
    assert len(np.unique(copies[:, 0].reshape(6, -1), axis=0)) > 1


def test_albumentations_moves_image_and_mask_together():
    A = pytest.importorskip("albumentations")
    act = sa.sources.albumentations(A.Compose([A.RandomCrop(8, 8), A.HorizontalFlip()]))
    image = np.random.default_rng(0).random((3, 16, 16, 1)).astype(np.float32)
    moved = act(sa.Oracle(act.distribution).draw(4), {"image": image, "mask": image[..., 0]})
    np.testing.assert_array_equal(moved["image"][..., 0], moved["mask"])


def test_another_pipeline_refuses_the_seeds():
    A = pytest.importorskip("albumentations")
    one, two = (sa.sources.albumentations(A.Compose([A.RandomCrop(k, k)])) for k in (4, 5))
    S = sa.Oracle(one.distribution).draw(2)
    with pytest.raises(ArgumentError, match="sample of seeds of Compose"):
        two(S, np.zeros((1, 8, 8, 3), np.float32))
    assert pickle.loads(pickle.dumps(one)).distribution == one.distribution


def test_kornia_gives_each_sample_the_map_of_the_row():
    torch = pytest.importorskip("torch")
    K = pytest.importorskip("kornia.augmentation")
    pipeline = K.AugmentationSequential(K.RandomAffine(20.0), K.RandomHorizontalFlip())
    act = sa.sources.kornia(pipeline)
    x = torch.rand(1, 3, 12, 12).repeat(2, 1, 1, 1)
    S = sa.Oracle(act.distribution, seed=0).draw(5)
    before = torch.get_rng_state()
    copies = act(S, x)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(copies[:, 0], copies[:, 1])
    assert len(torch.unique(copies[:, 0].flatten(1), dim=0)) > 1
    torch.manual_seed(int(S.elements[2, 0]))
    torch.testing.assert_close(pipeline(x[:1])[0], copies[2, 0])


class Jitter:
    """What torchvision's transforms do: callables of tensors that draw from torch's generator."""

    def __call__(self, x):
        import torch

        return (
            x.flip(-1) * torch.rand(()) if torch.rand(()) < 0.5 else x * torch.empty(1).uniform_()
        )

    def __repr__(self):
        return "Jitter()"


def jitter():
    """Of torchvision where it is installed; it has no build for processors alone here."""
    try:
        from torchvision.transforms import v2
    except ImportError:
        return Jitter()
    crop = v2.RandomResizedCrop((6, 6), scale=(0.3, 1.0), antialias=True)
    return v2.Compose([v2.RandomHorizontalFlip(), crop, v2.ColorJitter(0.3, 0.3)])


def test_torchvision_is_seeded_by_the_row():
    torch = pytest.importorskip("torch")
    pipeline = jitter()
    act = sa.sources.torchvision(pipeline)
    x = torch.rand(4, 3, 6, 6)
    S = sa.Oracle(act.distribution, seed=0).draw(8)
    before = torch.get_rng_state()
    one, two = act(S, x), act(S, x)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(one, two)
    assert len(torch.unique(one[:, 0].flatten(1), dim=0)) == 8
    assert torch.equal(act(S, x[[2, 1]])[:, 1], one[:, 1])  # whatever else is in the batch
    torch.manual_seed(int(S.elements[0, 0]))
    assert torch.equal(pipeline(x[1]), one[0, 1])
    assert sa.sources.torchvision(jitter()).distribution == act.distribution
    with pytest.raises(ArgumentError, match="cannot be seeded"):
        sa.sources.albumentations(pipeline)
    with pytest.raises(ArgumentError, match="what to move"):
        act(S, {"image": x, "label": x})
