"""Which copies share a batch, and a loader that resumes in the middle of an epoch, workers or not.

Batch number b of an epoch is a function of (seed, epoch, b). So ranks take every num_ranks-th batch
without talking to each other, and a run resumes anywhere. Where num_ranks does not divide the number
of batches, the first ones come a second time for the last ranks.

An iteration takes its epoch and its first batch when its first batch is asked for, not when it is made:
a data loader with workers makes two iterators for each epoch and uses the second.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal, final

import numpy as np
from torch.utils.data import DataLoader, Sampler

from sparseaug._checks import check_choice, check_flag, check_integer, check_type
from sparseaug.actions.prepared import Indices
from sparseaug.errors import ArgumentError, UnsupportedError
from sparseaug.nn.datasets import OneShotDataset
from sparseaug.nn.indexed import Indexed
from sparseaug.nn.states import check_state
from sparseaug.sampling.identity import fingerprint
from sparseaug.sampling.keys import keyed_rng
from sparseaug.spectrum.models import MOST_COPIES


@final
class OrbitBatchSampler(Sampler[list[int]]):
    """Batches of copies, for `DataLoader(dataset, batch_sampler=...)`.

    Args:
        dataset: a `OneShotDataset`: n samples, m elements
        batch_size: copies per batch; with copies="together" a multiple of m
        copies: "together": a batch holds all m copies of batch_size / m samples, element by
            element; "spread": the epoch is m passes over the samples, and in each pass a sample
            comes with another element
        shuffle: a new order in every epoch; otherwise samples come in their own order
        seed: of the order
        drop_last: leave out a last batch that is not full
        rank: this process takes the batches rank, rank + num_ranks, ...
        num_ranks: see `rank`.
        even: every rank gets equally many batches: where there are too few, the first ones of the
            epoch come again, at most num_ranks - 1 of them. False: the ranks together see every copy
            exactly once, and their numbers of batches differ by at most one. Use that for
            evaluation, or with `join` of DistributedDataParallel: ranks that wait for each other at
            every step hang when one of them has no batch left

    One rank sees every copy once in an epoch. With several devices in Lightning set
    use_distributed_sampler=False. Call `set_epoch` before each epoch, or let Lightning do so. To save
    and resume in the middle of an epoch use a `ResumableLoader`. Accelerate deals out the batches of a
    `DataLoader` that it prepares, and sets the epoch: leave the ranks out there.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.nn import OneShotDataset, OrbitBatchSampler
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
        even: bool = True,
    ) -> None:
        self.dataset = check_type("dataset", dataset, OneShotDataset, "a OneShotDataset; make one")
        self.batch_size = check_integer("batch_size", batch_size, at_least=1, below=MOST_COPIES)
        self.copies = check_choice("copies", copies, ("together", "spread"))
        self.shuffle = check_flag("shuffle", shuffle)
        self.seed = check_integer("seed", seed, below=1 << 64)
        self.drop_last = check_flag("drop_last", drop_last)
        self.num_ranks = check_integer("num_ranks", num_ranks, at_least=1, below=1 << 31)
        self.rank = check_integer("rank", rank, below=self.num_ranks)
        self.even = check_flag("even", even)
        self.epoch = 0
        self._start = 0  # where the next iteration begins
        self._place = _Place(0)  # of the iteration that began last, if it is of this epoch
        if copies == "together" and self.batch_size % dataset.S.m:
            raise ArgumentError(
                f'{batch_size=} is not a multiple of m={dataset.S.m}; give one or copies="spread".'
            )

    @property
    def sampler(self) -> OrbitBatchSampler:
        """Itself: where Lightning and Accelerate look for the `set_epoch` of a batch sampler."""
        return self

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of this epoch. The current epoch keeps its place."""
        epoch = check_integer("epoch", epoch, below=1 << 63)
        if epoch != self.epoch:
            self._go_to(epoch, 0)

    def __len__(self) -> int:
        """Batches of this rank in a whole epoch."""
        return len(range(0 if self.even else self.rank, self._batches(), self.num_ranks))

    def __iter__(self) -> Iterator[list[int]]:
        start, self._start = self._start, 0
        self._place = _Place(start)
        plan = _Epoch(self, self.epoch)
        total = self._batches()
        for position in range(start, len(self)):
            number = position * self.num_ranks + self.rank
            yield plan.batch(number % total).tolist()  # beyond the end only where it pads

    def _go_to(self, epoch: int, position: int) -> None:
        self.epoch, self._start, self._place = epoch, position, _Place(position)

    def _settings(self) -> dict[str, Any]:
        """What decides the batches, but for the rank: all ranks may load one state."""
        data, S = self.dataset, self.dataset.S
        names = ("batch_size", "copies", "shuffle", "seed", "drop_last", "num_ranks", "even")
        return {
            "n": data.n,
            "m": S.m,
            "S": S.sha256,
            "rows": fingerprint(S.elements),  # in their order
            "action": fingerprint(data.action),
            "y_action": fingerprint(data.y_action),
            **{name: getattr(self, name) for name in names},
        }

    def _batches(self) -> int:
        """Batches of all ranks in an epoch."""
        total = len(self.dataset)
        return total // self.batch_size if self.drop_last else -(-total // self.batch_size)


@final
class _Place:
    """How many batches of its epoch an iteration is done with, as a loader counts them."""

    def __init__(self, done: int) -> None:
        self.done = done


@final
class _Epoch:
    """The batches of one epoch by number."""

    def __init__(self, sampler: OrbitBatchSampler, epoch: int) -> None:
        self._sampler, self._number = sampler, epoch
        self._n, self._m = sampler.dataset.n, sampler.dataset.S.m
        self._order = lru_cache(2)(self._order_of)  # most batches lie in two passes
        self._offsets = np.zeros(self._n, np.int64)
        if sampler.shuffle and sampler.copies == "spread":
            rng = keyed_rng(sampler.seed, "orbit offsets", step=epoch)
            self._offsets = rng.integers(self._m, size=self._n)

    def batch(self, number: int) -> Indices:
        """The copies in this batch."""
        size = self._sampler.batch_size
        if self._sampler.copies == "together":
            few = size // self._m
            samples = self._order(0)[number * few : (number + 1) * few]
            return (np.arange(self._m)[:, None] * self._n + samples).reshape(-1)
        places = np.arange(number * size, min((number + 1) * size, self._n * self._m))
        # place q of the epoch is place q % n of pass q // n
        turns, places = np.divmod(places, self._n)
        samples = np.empty_like(places)
        for turn in np.unique(turns).tolist():
            here = turns == turn
            samples[here] = self._order(turn)[places[here]]
        return (turns + self._offsets[samples]) % self._m * self._n + samples

    def _order_of(self, turn: int) -> Indices:
        """The samples in the order of this pass."""
        if not self._sampler.shuffle:
            return np.arange(self._n)
        rng = keyed_rng(self._sampler.seed, "orbit batches", step=self._number, index=turn)
        return rng.permutation(self._n)


@final
class ResumableLoader(DataLoader[Any]):
    """A `DataLoader` with an `OrbitBatchSampler` that counts the batches the training loop has had.

    Takes what `DataLoader` takes; `batch_sampler` is an `OrbitBatchSampler`. Workers fetch ahead, so
    that the sampler has handed out more batches than were trained on: `state_dict` counts the
    latter. Lightning saves and loads this state with its checkpoints by itself. Accelerate does so after
    `accelerator.register_for_checkpointing(loader)`; its `prepare` would put a loader of its own in
    place of this one, whose batches nobody counts, and is refused.

    Workers start at the first batch and not at `iter(loader)`: Lightning calls that before it has
    told a resumed run's epoch.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.nn import OneShotDataset, OrbitBatchSampler, ResumableLoader
        >>> S = sa.GroupSample(sa.cyclic(3), [[0], [1]])
        >>> data = OneShotDataset(np.eye(3), sa.permute_axis(S.group), S)
        >>> def loader():
        ...     return ResumableLoader(data, batch_sampler=OrbitBatchSampler(data, 2))
        >>> first, again = loader(), loader()
        >>> batch = next(iter(first))
        >>> again.load_state_dict(first.state_dict())
        >>> len(list(again)), len(list(again))
        (2, 3)
    """

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        sampler = self._orbits()
        place = None
        for batch in super().__iter__():
            place = place or sampler._place  # of these batches, once the first of them is here
            place.done += 1
            yield batch

    def state_dict(self) -> dict[str, Any]:
        """The epoch, the batches of it that the loop has had, and what decides them."""
        sampler = self._orbits()
        place = {"epoch": sampler.epoch, "position": sampler._place.done}
        return {**place, "settings": sampler._settings()}

    def load_state_dict(self, state: Any) -> None:
        """Continue the next iteration where `state_dict` was taken; later ones are complete.

        A state of another run is refused: of another S, or the same with its rows in another order
        (a batch is a list of row numbers), another action, number of samples, seed or division into
        batches. The samples themselves are not compared. All ranks may load the state of one.
        """
        sampler = self._orbits()
        state = check_state(state, ("epoch", "position"), sampler._settings())
        epoch = check_integer("epoch", state["epoch"], below=1 << 63)
        longest = -(-sampler._batches() // sampler.num_ranks)  # of the first rank
        position = check_integer("position", state["position"], below=longest + 1)
        sampler._go_to(epoch, min(position, len(sampler)))

    @property
    def _is_accelerate_prepared(self) -> bool:
        """What Accelerate's `prepare` asks a loader first."""
        raise UnsupportedError(
            "Accelerate counts no batches; leave ResumableLoader out of prepare."
        )

    def _orbits(self) -> OrbitBatchSampler:
        sampler = check_type("batch_sampler", self.batch_sampler, OrbitBatchSampler, "of orbits")
        wanted, given = len(sampler.dataset), Indexed(self.dataset).n
        if given != wanted:
            raise ArgumentError(f"dataset has {given} items, but batch_sampler deals out {wanted}.")
        return sampler
