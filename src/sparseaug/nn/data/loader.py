"""A data loader that is saved and resumed in the middle of an epoch, whatever workers fetch ahead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, final

from torch.utils.data import DataLoader

from sparseaug.errors import ArgumentError, UnsupportedError, shorten
from sparseaug.nn.data.inner import Inner
from sparseaug.nn.data.samplers import OrbitBatchSampler


@final
class ResumableLoader(DataLoader[Any]):
    """A `DataLoader` with an `OrbitBatchSampler` that counts the batches the training loop has had.

    Takes what `DataLoader` takes; `batch_sampler` is an `OrbitBatchSampler`. Workers fetch ahead, so
    that the sampler has handed out more batches than were trained on: `state_dict` tells the
    latter. Lightning saves and loads this state with its checkpoints by itself. Accelerate does so after
    `accelerator.register_for_checkpointing(loader)`; its `prepare` would put a loader of its own in
    place of this one, whose batches nobody counts, and is refused.

    Workers start at the first batch and not at `iter(loader)`: Lightning calls that before it has
    told a resumed run's epoch.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.nn import OneShotDataset
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
        turn = None
        for count, batch in enumerate(super().__iter__(), 1):
            # the one that the loader began for these batches, once the first of them is here
            turn = turn or sampler._turn
            if turn is not None:
                turn.had = turn.start + count
            yield batch

    def state_dict(self) -> dict[str, Any]:
        """The sampler's epoch, the batches of it that the loop has had, and what decides them."""
        return self._orbits().state_dict()

    def load_state_dict(self, state: Any) -> None:
        """Let the next iteration continue where `state_dict` was taken, and later ones be whole."""
        self._orbits().load_state_dict(state)

    @property
    def _is_accelerate_prepared(self) -> bool:
        """What Accelerate's `prepare` asks a loader first."""
        raise UnsupportedError(
            "Accelerate's prepare would replace this ResumableLoader by a loader that counts no "
            "batches; leave it out of prepare, and give rank=accelerator.process_index and "
            "num_ranks=accelerator.num_processes to its OrbitBatchSampler. For batches that Accelerate "
            "deals out, without a state, prepare a DataLoader."
        )

    def _orbits(self) -> OrbitBatchSampler:
        if not isinstance(self.batch_sampler, OrbitBatchSampler):
            raise ArgumentError(
                f"batch_sampler={shorten(self.batch_sampler)} is not an OrbitBatchSampler; give one."
            )
        wanted, given = len(self.batch_sampler.dataset), Inner(self.dataset).n
        if given != wanted:
            raise ArgumentError(
                f"dataset has {given} items, but batch_sampler deals out {wanted}; make it of the same "
                "data set."
            )
        return self.batch_sampler
