"""A loader's epoch over the index map, next to one over the copies made beforehand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

import sparseaug as sa
from benchmarks.side_by_side import compare
from sparseaug.nn import OneShotDataset, StreamingDataset

CASES: dict[str, tuple[sa.actions.Action, int, tuple[int, ...], int]] = {
    # name: action, n, shape of a sample, m
    "(1, 8, 8) images, shifts": (sa.roll(sa.abelian(8, 8)), 1797, (1, 8, 8), 16),
    "(3, 32, 32) images, shifts": (sa.roll(sa.abelian(32, 32)), 1000, (3, 32, 32), 16),
    "sets of 6, S6": (sa.permute_axis(sa.symmetric(6)), 128, (6,), 64),
}
BATCH = 128


class ItemByItem(Dataset[Any]):
    """The plain way: one call of the action per item."""

    def __init__(self, data: TensorDataset, action: sa.actions.Action, S: sa.GroupSample) -> None:
        self.data, self.action, self.S = data, action, S

    def __len__(self) -> int:
        return len(self.data) * self.S.m

    def __getitem__(self, k: int) -> tuple[torch.Tensor, torch.Tensor]:
        j, i = divmod(k, len(self.data))
        x, y = self.data[i]
        return self.action(self.S.elements[j : j + 1], x[None])[0, 0], y


def epochs(workers: int) -> None:
    for name, (action, n, shape, m) in CASES.items():
        x = torch.randn((n, *shape), generator=torch.Generator().manual_seed(0))
        data = TensorDataset(x, torch.arange(n) % 10)
        S = sa.Oracle(action.group, seed=0).draw(m)
        copies = TensorDataset(*sa.augment(action, S, *data.tensors))
        stream = StreamingDataset(data, action, sa.Oracle(action.group, seed=0))
        ways: dict[str, Dataset[Any]] = {
            "TensorDataset of all copies": copies,
            "OneShotDataset": OneShotDataset(data, action, S),
            "StreamingDataset": stream,
        }
        if not workers:
            ways["one call of the action per item"] = ItemByItem(data, action, S)
        size = copies.tensors[0].nbytes / 2**20
        compare(
            f"an item of {name}, m={m}, {workers} workers (target: at most 1.1x)",
            {way: _epoch(data, workers) for way, data in ways.items()},
            rounds=5,
            units={way: len(data) for way, data in ways.items()},  # type: ignore[arg-type]
            limit=f"All copies take {size:.1f} MiB, the data {size / m:.1f} MiB.",
        )


class RolledItems(Dataset[Any]):
    """The plain way for shifts of a list of items."""

    def __init__(self, items: list[Any], S: sa.GroupSample) -> None:
        self.items, self.steps = items, S.elements.tolist()

    def __len__(self) -> int:
        return len(self.items) * len(self.steps)

    def __getitem__(self, k: int) -> tuple[torch.Tensor, int]:
        j, i = divmod(k, len(self.items))
        x, y = self.items[i]
        return torch.roll(x, self.steps[j], (-2, -1)), y


def lists() -> None:
    """A data set that gives one item at a time, as most on disk do, of large images."""
    action = sa.roll(sa.abelian(224, 224))
    S = sa.Oracle(action.group, seed=0).draw(4)
    x = torch.randn((64, 3, 224, 224), generator=torch.Generator().manual_seed(0))
    items = [(image.clone(), i) for i, image in enumerate(x)]
    unmoved = items * S.m
    ways: dict[str, Dataset[Any]] = {
        "torch.roll of each item": RolledItems(items, S),
        "OneShotDataset": OneShotDataset(items, action, S),
        "StreamingDataset": StreamingDataset(unmoved, action, sa.Oracle(action.group, seed=0)),
        "unmoved": unmoved,  # type: ignore[dict-item]
    }
    compare(
        "an item of a list of (3, 224, 224) images, shifts, m=4",
        {way: _epoch(data, 0) for way, data in ways.items()},
        rounds=5,
        units={way: len(data) for way, data in ways.items()},  # type: ignore[arg-type]
        limit=f"Unmoved, {x[0].nbytes / 2**20:.2f} MiB are written into the batch: the limit.",
    )


def _epoch(data: Dataset[Any], workers: int) -> Callable[[], None]:
    """A run through a loader; its workers live on, so that starting them is not timed."""
    loader = DataLoader(
        data,
        batch_size=BATCH,
        shuffle=True,
        num_workers=workers,
        persistent_workers=workers > 0,
        generator=torch.Generator().manual_seed(0),
    )
    return partial(_run_through, loader)


def _run_through(loader: DataLoader[Any]) -> None:
    for _ in loader:
        pass


if __name__ == "__main__":
    torch.set_num_threads(1)
    lists()
    epochs(workers=0)
    epochs(workers=2)
