"""`OrbitTransform` in pipelines of the real torchvision; the module is skipped where it is missing."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torchvision
from torch.utils.data import DataLoader, Dataset
from torchvision import tv_tensors
from torchvision.transforms import v2

import sparseaug as sa
from sparseaug.nn import OneShotDataset, OrbitTransform

TURN = sa.rotate_grid(sa.dihedral(4))
S = sa.Oracle(TURN.group, seed=0).draw(6)
ROWS = np.array(sorted(S.elements.tolist()))


def pixels(seed=0, shape=(3, 8, 8)):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)


def copies_of(x):
    return list(TURN(ROWS, x[None])[:, 0])


def moved_by(transform, image):
    return ROWS[transform.make_params([image])["element"]][None]


def plain(x):
    return x.as_subclass(torch.Tensor)


def test_images_masks_and_videos_move_together_and_keep_their_type():
    transform = OrbitTransform(TURN, S)
    image = tv_tensors.Image(pixels())
    mask = tv_tensors.Mask(pixels(1, (8, 8)))
    video = tv_tensors.Video(pixels(2, (5, 3, 8, 8)))
    out = transform({"image": image, "target": {"masks": mask, "label": 3}, "clip": video})
    element = moved_by(transform, image)
    assert type(out["image"]) is tv_tensors.Image
    assert type(out["target"]["masks"]) is tv_tensors.Mask
    assert type(out["clip"]) is tv_tensors.Video
    for given, got in ((image, out["image"]), (mask, out["target"]["masks"]), (video, out["clip"])):
        assert torch.equal(plain(got), TURN(element, plain(given)[None])[0, 0])
    assert out["target"]["label"] == 3


def test_boxes_are_refused_with_the_remedy():
    boxes = tv_tensors.BoundingBoxes(
        torch.tensor([[1, 1, 4, 4]]), format="XYXY", canvas_size=(8, 8)
    )
    with pytest.raises(sa.errors.UnsupportedError, match=r"BoundingBoxes.*Mask"):
        OrbitTransform(TURN, S)(tv_tensors.Image(pixels()), {"boxes": boxes})


def test_a_pil_image_is_refused_before_and_moved_after_to_image():
    image = v2.functional.to_pil_image(pixels())
    transform = OrbitTransform(TURN, S)
    with pytest.raises(sa.errors.ArgumentError, match=r"convert it first \(v2.ToImage\)"):
        transform(image)
    out, label = v2.Compose([v2.ToImage(), transform])(image, 7)
    assert type(out) is tv_tensors.Image
    assert label == 7
    assert any(torch.equal(plain(out), copy) for copy in copies_of(pixels()))


def pipeline():
    return v2.Compose(
        [
            v2.ToImage(),
            v2.ToDtype(torch.float32, scale=True),
            OrbitTransform(TURN, S, seed=0),
            v2.Normalize(mean=[0.5, 0.4, 0.3], std=[0.2, 0.2, 0.25]),
        ]
    )


class Pictures(Dataset):
    """PIL images and labels, as torchvision's data sets give them."""

    def __init__(self, transform=None):
        self.transform = transform

    def __len__(self):
        return 12

    def __getitem__(self, i):
        image = v2.functional.to_pil_image(pixels(i))
        return (image if self.transform is None else self.transform(image)), i


def expected(i):
    """The copies of picture i as the pipeline makes them."""
    mean, std = torch.tensor([0.5, 0.4, 0.3]), torch.tensor([0.2, 0.2, 0.25])
    x = (pixels(i).float() / 255 - mean[:, None, None]) / std[:, None, None]
    return copies_of(x)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_over_a_pipeline_gives_copies_by_elements_of_s(workers):
    data = Pictures(pipeline())
    seen = set()
    for x, label in DataLoader(data, batch_size=5, num_workers=workers):
        assert x.dtype == torch.float32
        for picture, i in zip(x, label.tolist(), strict=True):
            close = [torch.allclose(picture, copy, atol=1e-6) for copy in expected(i)]
            assert any(close)
            seen.add(close.index(True))
    assert len(seen) > 2


def test_workers_and_epochs_decide_nothing_but_what_they_should():
    first, again = Pictures(pipeline()), Pictures(pipeline())
    assert all(torch.equal(first[i][0], again[i][0]) for i in range(12))
    again.transform.transforms[2].set_epoch(1)
    assert not all(torch.equal(first[i][0], again[i][0]) for i in range(12))


def test_a_one_shot_data_set_takes_the_images_of_a_pipeline():
    before = v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])
    copies = OneShotDataset(Pictures(before), TURN, S)
    assert len(copies) == 72
    for x, label in DataLoader(copies, batch_size=16):
        assert x.shape[1:] == (3, 8, 8)
        assert len(x) == len(label)
    for k in (0, 17, 71):
        x, label = copies[k]
        row = S.elements[copies.element_index(k)][None]
        wanted = TURN(row, (pixels(label).float() / 255)[None])[0, 0]
        assert torch.allclose(plain(x), wanted, atol=1e-6)


def test_the_transform_works_beside_transforms_on_batches():
    """CutMix and MixUp take the batch that the loader made."""
    loader = DataLoader(Pictures(pipeline()), batch_size=6)
    x, label = next(iter(loader))
    mixed, soft = v2.MixUp(num_classes=12)(x, label)
    assert mixed.shape == x.shape
    assert soft.shape == (6, 12)


def test_the_data_sets_of_torchvision_are_read_as_they_are():
    fake = torchvision.datasets.FakeData(
        4, image_size=(3, 8, 8), num_classes=3, transform=v2.Compose([v2.ToImage()])
    )
    copies = OneShotDataset(fake, TURN, S)
    x, label = copies[5]
    row = S.elements[copies.element_index(5)][None]
    image, wanted = fake[1]
    assert torch.equal(plain(x), TURN(row, plain(image)[None])[0, 0])
    assert label == wanted
