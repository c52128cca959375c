"""The augmented data set: the n m copies under S by an index map, or fresh elements in every epoch.

Item k of a `OneShotDataset` is sample k % n moved by element k // n of S. Nothing is drawn, copied
beforehand or held: the same k gives the same item in every process, so workers, ranks, shuffles and
resumed runs see the same n m copies.

A `StreamingDataset` draws as usual augmentation does, but keyed and counted: the element of item i in
epoch e is a function of (seed, e, i) alone: row i % 256 of the draws keyed by (seed, e, i // 256). What
was drawn is marked in shared memory, so that workers, repeated access and an early stop leave the count
exact. Whether an epoch was ever set is there too, so that a worker can warn of a second pass over an
epoch that nobody chose.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, final

import numpy as np
import torch
from torch.utils.data import Dataset, Subset, get_worker_info

from sparseaug._checks import check_integer
from sparseaug.actions import Action, PreparedAction
from sparseaug.actions.base import require_action, require_same_group
from sparseaug.actions.prepared import Indices
from sparseaug.errors import ArgumentError, OracleBudgetError, SparseAugWarning, UnsupportedError
from sparseaug.groups import Rows
from sparseaug.nn.indexed import Indexed, check_indices
from sparseaug.nn.moved_items import Moves
from sparseaug.nn.states import check_state
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.augment import split_sources
from sparseaug.sampling.identity import fingerprint
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.oracle import require_oracle
from sparseaug.sampling.table import SampleTable, as_copies


@final
class OneShotDataset(Dataset[Any]):
    """The n m copies of a data set, in the order of `sparseaug.augment`.

    Args:
        dataset: any data set with a length; items are x or (x, y, ...), tensors or NumPy arrays
        action: how the group moves x
        S: the sample; each of its m elements moves each of the n samples; "full" for all of the group;
            or a `SampleTable`, m elements for each sample by itself
        y_action: how the group moves y, for targets that move along

    x is moved, y too if `y_action` is given, and the rest passes through. x may be a tuple or a dict
    of arrays where `action` moves them together (`sparseaug.together`, or `permute_nodes` for the pair
    (adjacency, features)): items are ((a, b), y), ({"image": a, "mask": b}, y), or the dict alone;
    other entries of a dict pass through, at any depth. x may be a graph of PyTorch Geometric, which
    `permute_nodes` relabels: (g.X)[g(i)] = X[i] for every node attribute (by the library's rule: what
    has as many entries as there are nodes), and every index of nodes (edge_index, face, and what has
    "index" in its name) is mapped by g; edges keep their order.
    All graphs have as many nodes as the group permutes, so graphs of several sizes need one data set
    and one S per size (`torch.utils.data.ConcatDataset`), or padding and a mask that moves along.

    A data loader gets its batches moved at once. A sample that is in a batch several times is fetched
    from `dataset` once.

    To hold some out for validation, use `split`: `torch.utils.data.random_split` would split copies,
    and nearly every image of the validation part would have others of its copies in training.

    Examples:
        >>> import torch, sparseaug as sa
        >>> from torch.utils.data import TensorDataset
        >>> from sparseaug.nn import OneShotDataset
        >>> data = TensorDataset(torch.tensor([[1, 2, 3], [4, 5, 6]]), torch.tensor([0, 1]))
        >>> S = sa.GroupSample(sa.cyclic(3), [[0], [1]])
        >>> copies = OneShotDataset(data, sa.permute_axis(S.group), S)
        >>> len(copies), copies[3]
        (4, (tensor([6, 4, 5]), tensor(1)))
        >>> copies.source_index(3), copies.element_index(3)
        (1, 1)
    """

    def __init__(
        self,
        dataset: Any,
        action: Action,
        S: GroupSample | SampleTable | Literal["full"],
        y_action: Action | None = None,
    ) -> None:
        require_action(action)
        require_same_group(action, y_action, "y_action")
        self._inner = Indexed(dataset)
        S = as_copies(S, action.distribution, self._inner.n)
        self.action, self.S, self.y_action = action, S, y_action
        rows = action.rows(S)
        along = None if y_action is None else PreparedAction(y_action, rows)
        self._moves = Moves(PreparedAction(action, rows), along)

    @property
    def dataset(self) -> Any:
        """The data set that is augmented."""
        return self._inner.dataset

    @property
    def n(self) -> int:
        """Number of samples of the inner data set."""
        return self._inner.n

    def __len__(self) -> int:
        return self.n * self.S.m

    def source_index(self, k: Any) -> Any:
        """Which sample item k is a copy of: k % n; k is an integer, or a tensor or array of them."""
        return _map(k, len(self), lambda index: index % self.n)

    def element_index(self, k: Any) -> Any:
        """Which element of S, or of the sample's own, moves item k: k // n. k as for `source_index`."""
        return _map(k, len(self), lambda index: index // self.n)

    def split(self, fractions: Sequence[float], rng: Any = 0) -> list[Subset[Any]]:
        """Parts of the copies, so that all copies of a sample lie in one.

        Args:
            fractions: of each part; they sum to 1
            rng: a seed or a NumPy generator

        Examples:
            >>> import numpy as np, torch, sparseaug as sa
            >>> from sparseaug.nn import OneShotDataset
            >>> data = torch.utils.data.TensorDataset(torch.arange(15).reshape(5, 3))
            >>> copies = OneShotDataset(data, sa.permute_axis(sa.cyclic(3)), "full")
            >>> train, held_out = copies.split([0.6, 0.4])
            >>> [np.unique(copies.source_index(part.indices)).tolist() for part in (train, held_out)]
            [[2, 3, 4], [0, 1]]
        """
        first = self.n * np.arange(self.S.m)[:, None]
        parts = split_sources(self.n, fractions, rng)
        return [Subset(self, (first + part).reshape(-1).tolist()) for part in parts]

    def __getitem__(self, k: Any) -> Any:
        return next(iter(self.__getitems__([int(check_indices(k, len(self), "k", axes=[0]))])))

    def __getitems__(self, indices: Sequence[int]) -> Sequence[Any]:
        """The items of a batch, moved at once."""
        checked = check_indices(indices, len(self))
        which, source = np.divmod(checked, max(self.n, 1))
        if isinstance(self.S, SampleTable):  # whose elements are in the order of the copies
            which = checked
        return self._inner.move(source, which, self._moves)


def _map(k: Any, length: int, function: Any) -> Any:
    """The function of checked indices, in the form they came in: int, tensor or array."""
    found = function(check_indices(k, length, "k", axes=(0, 1)))
    if not found.ndim:
        return int(found)
    return torch.from_numpy(found).to(k.device) if isinstance(k, torch.Tensor) else found


class RepeatedEpochWarning(SparseAugWarning):
    """A second pass without `set_epoch`: data are moved by the elements of the first one again."""


_BLOCK = 256  # items that share a key; part of what a seed means, never to be changed


@final
class StreamingDataset(Dataset[Any]):
    """A data set whose samples are moved by a fresh element in every epoch.

    Args:
        dataset: any data set with a length; items are x or (x, y, ...), as in `OneShotDataset`
        action: how the group moves x
        oracle: gives the seed, counts every element drawn, and stops before its budget is passed
        y_action: how the group moves y, for targets that move along

    Call `set_epoch` before each epoch, as for `DistributedSampler`; without it a second pass repeats
    the elements of epoch 0, and a `RepeatedEpochWarning` says so, once, from the process that fetches
    (a forked worker has the filters that were set before). An epoch costs one call per item that is
    fetched, by whichever worker; fetching it again in the same epoch costs nothing, and an epoch that
    is visited again is counted again. Each rank counts what it fetched itself. Abandon a loader's
    iteration before `set_epoch`: what persistent workers still fetch belongs to the new epoch.
    Give each data set an oracle of its own: two with one seed draw the same elements, and neither
    knows of draws that the other has not counted yet.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> from sparseaug.nn import StreamingDataset
        >>> oracle = sa.Oracle(sa.symmetric(3), seed=0, budget=8)
        >>> data = StreamingDataset(np.eye(3), sa.permute_axis(oracle.group), oracle)
        >>> items = [data[0], data[1], data[0]]
        >>> data.calls
        2
        >>> data.set_epoch(1)
        >>> items = list(data)
        >>> data.calls, oracle.remaining
        (5, 3)
    """

    def __init__(
        self, dataset: Any, action: Action, oracle: Oracle, y_action: Action | None = None
    ) -> None:
        require_action(action)
        require_same_group(action, y_action, "y_action")
        require_oracle(oracle, action.distribution)
        if oracle.has_source:
            raise UnsupportedError("oracle asks a source; draw S once, for OneShotDataset.")
        self.action, self.oracle, self.y_action = action, oracle, y_action
        self._inner = Indexed(dataset)
        self._require_budget(self._inner.n)
        # persistent workers read the epoch and write the marks of this very memory
        self._epoch = torch.zeros(1, dtype=torch.int64).share_memory_()
        self._seen = torch.zeros(self._inner.n, dtype=torch.uint8).share_memory_()
        self._charged = 0  # marks of this epoch that the oracle has counted
        # whether an epoch was set or the warning given; if not, how many items were fetched
        self._told = torch.zeros(1, dtype=torch.bool).share_memory_()
        self._fetched = torch.zeros(1, dtype=torch.int64).share_memory_()
        self._blocks: tuple[int, dict[int, Rows]] = -1, {}  # the draws of an epoch, by block

    @property
    def dataset(self) -> Any:
        """The data set that is augmented."""
        return self._inner.dataset

    @property
    def epoch(self) -> int:
        """The current epoch."""
        return int(self._epoch[0])

    @property
    def calls(self) -> int:
        """The oracle's calls, with every element drawn here so far."""
        marked = int(torch.count_nonzero(self._seen))
        self.oracle.advance_to(self.oracle.calls + marked - self._charged)
        self._charged = marked
        return self.oracle.calls

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch: fresh elements, within the budget. The current one changes nothing."""
        epoch = check_integer("epoch", epoch, below=1 << 63)
        self._told[0] = True
        if epoch == self.epoch:
            return
        _ = self.calls
        self._require_budget(len(self))
        self._seen.zero_()
        self._charged = 0
        self._epoch[0] = epoch

    def __len__(self) -> int:
        return self._inner.n

    def __getitem__(self, index: Any) -> Any:
        return next(
            iter(self.__getitems__([int(check_indices(index, len(self), "index", axes=[0]))]))
        )

    def __getitems__(self, indices: Sequence[int]) -> Sequence[Any]:
        """The items of a batch, moved at once."""
        chosen = check_indices(indices, len(self))
        self._notice(chosen)
        rows = self._rows(self.epoch, chosen)
        self._seen[torch.from_numpy(chosen)] = 1
        along = None if self.y_action is None else PreparedAction(self.y_action, rows, memory=0)
        moves = Moves(PreparedAction(self.action, rows, memory=0), along)
        return self._inner.move(chosen, np.arange(len(chosen)), moves)

    def _rows(self, epoch: int, indices: Indices) -> Rows:
        """The elements of these items in this epoch; each block is drawn when it is first asked for."""
        if self._blocks[0] != epoch:
            self._blocks = epoch, {}
        blocks, group = self._blocks[1], self.action.distribution
        number, place = np.divmod(indices, _BLOCK)
        for missing in set(number.tolist()) - blocks.keys():
            rng = keyed_rng(self.oracle.seed, "streaming dataset", step=epoch, index=missing)
            blocks[missing] = group.sample(_BLOCK, rng)
        rows = [blocks[b][i] for b, i in zip(number.tolist(), place.tolist(), strict=True)]
        return np.array(rows, group.row_dtype).reshape(-1, group.width)

    def state_dict(self) -> dict[str, Any]:
        """The epoch, the calls, which items of the epoch were drawn, and what decides the elements.

        Items that workers have fetched ahead are among those drawn. Fetched again after a resume they
        are moved by the same elements, at no further call.
        """
        return {
            "epoch": self.epoch,
            "calls": self.calls,
            "seen": self._seen.clone(),
            "settings": self._settings(),
        }

    def load_state_dict(self, state: Any) -> None:
        """Continue from `state_dict`, with an oracle that has made no more calls than are in it.

        A state of another group, seed, action or number of samples is refused.
        """
        state = check_state(state, ("epoch", "calls", "seen"), self._settings())
        epoch = check_integer("epoch", state["epoch"], below=1 << 63)
        made = self.calls
        calls = check_integer("calls", state["calls"], at_least=made, below=1 << 63)
        seen = state["seen"]
        if (
            not isinstance(seen, torch.Tensor)
            or seen.shape != self._seen.shape
            or ((seen != 0) & (seen != 1)).any()
        ):
            raise ArgumentError(f"seen is not a 0 or 1 for each of {len(self)} items.")
        marked = int(torch.count_nonzero(seen))
        self._require_budget(len(self) - marked, owed=calls - made)
        self.oracle.advance_to(calls)
        self._epoch[0] = epoch
        self._seen.copy_(seen)
        self._charged = marked
        self._told[0] = True

    def _settings(self) -> dict[str, Any]:
        """What decides the element of an item, but for the epoch, and how it moves."""
        return {
            "n": len(self),
            "seed": self.oracle.seed,
            "action": fingerprint(self.action),
            "y_action": fingerprint(self.y_action),
        }

    def _notice(self, chosen: Indices) -> None:
        """Warn, once, of items that come again after as many as there are, with no epoch ever set."""
        if self._told[0]:
            return
        # workers that lose an update of the other warn later; one of them warns, so it comes once
        self._fetched += len(chosen)
        info = get_worker_info()
        again = self._fetched > len(self) and self._seen[torch.from_numpy(chosen)].any()
        if again and (info is None or info.id == 0):
            self._told[0] = True
            warnings.warn(
                f"{len(self)} items were fetched and set_epoch was never called, so the elements of "
                f"epoch {self.epoch} are used again; call set_epoch(epoch) before each epoch.",
                RepeatedEpochWarning,
                stacklevel=3,
            )

    def _require_budget(self, needed: int, owed: int = 0) -> None:
        """`owed` calls were made, but are not in the oracle's count yet."""
        left = self.oracle.remaining - owed
        if left < needed:
            raise OracleBudgetError(
                f"an epoch may make {needed} oracle calls, but {left} are left; raise budget=."
            )
