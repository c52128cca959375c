"""Which copies share a batch: all copies of a sample together, or spread over the epoch.

Batch number b of an epoch is a function of (seed, epoch, b). So ranks take every num_ranks-th batch
without talking to each other, without padding and without duplicates, and a run resumes anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, final

import numpy as np
from torch.utils.data import Sampler

from sparseaug.errors import ArgumentError, check_integer, shorten
from sparseaug.nn.one_shot import OneShotDataset
from sparseaug.nn.prepared import Indices
from sparseaug.sampling.keys import keyed_rng


@final
class OrbitBatchSampler(Sampler[list[int]]):
    """Batches of copies, for `DataLoader(dataset, batch_sampler=...)`.

    dataset          a `OneShotDataset`: n samples, m elements
    batch_size       copies per batch; with copies="together" a multiple of m
    copies           "together": a batch holds all m copies of batch_size / m samples, element by
                     element; "spread": the epoch is m passes over the samples, and in each pass a
                     sample comes with another element
    shuffle          a new order in every epoch; otherwise samples come in their own order
    seed             of the order
    drop_last        leave out a last batch that is not full
    rank, num_ranks  this process takes the batches rank, rank + num_ranks, ...

    In one epoch the ranks together see every copy exactly once. Their numbers of batches differ by
    at most one: use `join` of DistributedDataParallel where they are uneven. Accelerate deals the
    batches itself: leave the ranks out there and set even_batches=False. With several devices in
    Lightning set use_distributed_sampler=False. Call `set_epoch` before each epoch, or let Lightning
    or Accelerate do so.

    >>> import numpy as np, sparseaug as sa
    >>> S = sa.GroupSample(sa.cyclic(3), [[0], [1]])
    >>> data = OneShotDataset(np.eye(3), sa.permute_axis(S.group), S)
    >>> list(OrbitBatchSampler(data, 2, copies="together", shuffle=False))
    [[0, 3], [1, 4], [2, 5]]
    >>> list(OrbitBatchSampler(data, 4, copies="spread", shuffle=False))
    [[0, 1, 2, 3], [4, 5]]
    """

    def __init__(
        self,
        dataset: OneShotDataset,
        batch_size: int,
        *,
        copies: Literal["together", "spread"] = "together",
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
        rank: int = 0,
        num_ranks: int = 1,
    ) -> None:
        if not isinstance(dataset, OneShotDataset):
            raise ArgumentError(f"dataset={shorten(dataset)} is not a OneShotDataset; make one.")
        if copies not in ("together", "spread"):
            raise ArgumentError(f'copies={shorten(copies)} must be "together" or "spread".')
        self.dataset = dataset
        self.batch_size = check_integer("batch_size", batch_size, at_least=1)
        self.copies = copies
        self.shuffle = bool(shuffle)
        self.seed = check_integer("seed", seed, below=1 << 64)
        self.drop_last = bool(drop_last)
        self.num_ranks = check_integer("num_ranks", num_ranks, at_least=1)
        self.rank = check_integer("rank", rank, below=self.num_ranks)
        self.epoch = 0
        self._position = 0  # batches of this epoch that were handed out
        self._resume = 0  # where the next iteration begins
        if copies == "together":
            _require_multiple(self.batch_size, dataset.S.m)

    @property
    def sampler(self) -> OrbitBatchSampler:
        """Itself: where Lightning and Accelerate look for the `set_epoch` of a batch sampler."""
        return self

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of this epoch. The current epoch keeps its place."""
        epoch = check_integer("epoch", epoch, below=1 << 63)
        if epoch != self.epoch:
            self.epoch, self._position, self._resume = epoch, 0, 0

    def __len__(self) -> int:
        """Batches of this rank in a whole epoch."""
        return len(range(self.rank, self._batches(), self.num_ranks))

    def __iter__(self) -> Iterator[list[int]]:
        start, self._resume = self._resume, 0
        self._position = start
        return self._from(start, self.epoch)

    def state_dict(self, *, position: int | None = None) -> dict[str, Any]:
        """The epoch and the position in it: by default, the number of batches handed out.

        A loader with workers, and Accelerate's, fetches ahead: give it as `position` how many
        batches the training loop has had.
        """
        position = self._position if position is None else position
        return {
            "epoch": self.epoch,
            "position": check_integer("position", position, below=len(self) + 1),
            "settings": self._settings(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Let the next iteration go on where `state_dict` was taken, and later ones be whole."""
        missing = {"epoch", "position", "settings"} - set(state)
        if missing:
            raise ArgumentError(f"state lacks {sorted(missing)}; give what state_dict returned.")
        mine = self._settings()
        for name, value in dict(state["settings"]).items():
            if mine.get(name) != value:
                raise ArgumentError(
                    f"state is of a sampler with {name}={value}, but this one has "
                    f"{name}={mine.get(name)}; make it with the same arguments."
                )
        self.epoch = check_integer("epoch", state["epoch"], below=1 << 63)
        longest = -(-self._batches() // self.num_ranks)  # of the first rank
        position = check_integer("position", state["position"], below=longest + 1)
        self._position = self._resume = min(position, len(self))

    def __repr__(self) -> str:
        return (
            f"OrbitBatchSampler({self.batch_size} of {len(self.dataset)}, {self.copies}, "
            f"epoch={self.epoch}, rank {self.rank} of {self.num_ranks})"
        )

    def _settings(self) -> dict[str, Any]:
        """What decides the batches, but for the rank: all ranks may load one state."""
        names = ("batch_size", "copies", "shuffle", "seed", "drop_last", "num_ranks")
        sizes = {"n": self.dataset.n, "m": self.dataset.S.m}
        return sizes | {name: getattr(self, name) for name in names}

    def _batches(self) -> int:
        """Batches of all ranks in an epoch."""
        total = len(self.dataset)
        return total // self.batch_size if self.drop_last else -(-total // self.batch_size)

    def _from(self, start: int, epoch: int) -> Iterator[list[int]]:
        plan = _Epoch(self, epoch)
        mine = range(self.rank, self._batches(), self.num_ranks)
        for position in range(start, len(mine)):
            # before the yield, since the loader holds the batch while this waits
            self._position = position + 1
            yield plan.batch(mine[position]).tolist()


@final
class _Epoch:
    """The batches of one epoch by number."""

    def __init__(self, sampler: OrbitBatchSampler, epoch: int) -> None:
        self._shuffle, self._seed, self._number = sampler.shuffle, sampler.seed, epoch
        self._size, self._together = sampler.batch_size, sampler.copies == "together"
        self._n, self._m = sampler.dataset.n, sampler.dataset.S.m
        self._orders: dict[int, Indices] = {}
        self._offsets = np.zeros(self._n, np.int64)
        if self._shuffle and not self._together:
            rng = keyed_rng(self._seed, "orbit offsets", step=epoch)
            self._offsets = rng.integers(self._m, size=self._n)

    def batch(self, number: int) -> Indices:
        """The copies in this batch."""
        if self._together:
            few = self._size // self._m
            samples = self._order(0)[number * few : (number + 1) * few]
            return (np.arange(self._m)[:, None] * self._n + samples).reshape(-1)
        first = number * self._size
        places = np.arange(first, min(first + self._size, self._n * self._m))
        # place q of the epoch is place q % n of pass q // n
        turns, places = np.divmod(places, self._n)
        samples = np.empty_like(places)
        for turn in np.unique(turns).tolist():
            here = turns == turn
            samples[here] = self._order(turn)[places[here]]
        return (turns + self._offsets[samples]) % self._m * self._n + samples

    def _order(self, turn: int) -> Indices:
        """The samples in the order of this pass; the last two passes are kept."""
        if turn not in self._orders:
            rng = keyed_rng(self._seed, "orbit batches", step=self._number, index=turn)
            order = rng.permutation(self._n) if self._shuffle else np.arange(self._n)
            self._orders = {old: self._orders[old] for old in list(self._orders)[-1:]} | {
                turn: order
            }
        return self._orders[turn]


def _require_multiple(batch_size: int, m: int) -> None:
    if batch_size % m:
        below, above = batch_size // m * m, -(-batch_size // m) * m
        nearest = f"{below} or {above}" if below else f"{above}"
        raise ArgumentError(
            f"batch_size={batch_size} is not a multiple of m={m}, so copies cannot stay together; "
            f'give {nearest}, or copies="spread".'
        )
