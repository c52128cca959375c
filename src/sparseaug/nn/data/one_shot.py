"""The augmented data set as an index map: item k is sample k % n moved by element k // n of S.

Nothing is drawn, copied beforehand or held: the same k gives the same item in every process, so
workers, ranks, shuffles and resumed runs see the same n m copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, final

import numpy as np
import torch
from torch.utils.data import Dataset

from sparseaug.actions import Action, PreparedAction
from sparseaug.actions.base import require_action, require_same_group
from sparseaug.nn.data.items import Inner, Moves, check_index, check_indices, check_list
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import as_sample


@final
class OneShotDataset(Dataset[Any]):
    """The n m copies of a data set, in the order of `sparseaug.augment`.

    Args:
        dataset: any data set with a length; items are x or (x, y, ...), tensors or NumPy arrays
        action: how the group moves x
        S: the sample; each of its m elements moves each of the n samples; "full" for all of the group
        y_action: how the group moves y, for targets that move along

    x is moved, y too if `y_action` is given, and the rest passes through. x may be a tuple or a dict
    of arrays where `action` moves them together (`sparseaug.together`, or `permute_nodes` for the pair
    (adjacency, features)): items are ((a, b), y), ({"image": a, "mask": b}, y), or the dict alone;
    other entries of a dict pass through, at any depth. x may be a graph of PyTorch Geometric (an object
    with edge_index and num_nodes), which `permute_nodes` relabels by the rules of `RelabelNodes`; all
    graphs have as many nodes as the group permutes, so graphs of several sizes need one data set and
    one S per size (`torch.utils.data.ConcatDataset`), or padding and a mask that moves along.

    A data loader gets its batches moved at once, and joined where items are tuples whose x is a tensor
    of one shape, so that the default collate makes no copy. A sample that is in a batch several times
    is fetched from `dataset` once.

    Examples:
        >>> import torch, sparseaug as sa
        >>> from torch.utils.data import TensorDataset
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
        S: GroupSample | Literal["full"],
        y_action: Action | None = None,
    ) -> None:
        require_action(action)
        require_same_group(action, y_action, "y_action")
        S = as_sample(S, action.group)
        self.action = action
        self.S = S
        self.y_action = y_action
        self._inner = Inner(dataset)
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
        """Which element of S moves item k: k // n; k is an integer, or a tensor or array of them."""
        return _map(k, len(self), lambda index: index // self.n)

    def __getitem__(self, k: Any) -> Any:
        return next(iter(self.__getitems__([check_index(k, len(self), "k")])))

    def __getitems__(self, indices: Sequence[int]) -> Sequence[Any]:
        """The items of a batch, moved at once."""
        which, source = np.divmod(check_list(indices, len(self)), max(self.n, 1))
        return self._inner.moved(source, which, self._moves)

    def __repr__(self) -> str:
        return (
            f"OneShotDataset({type(self.dataset).__name__} of {self.n}, "
            f"{type(self.action).__name__}, {self.S!r})"
        )


def _map(k: Any, length: int, function: Any) -> Any:
    """The function of checked indices, in the form they came in: int, tensor or array."""
    if isinstance(k, torch.Tensor) and k.ndim:
        return torch.from_numpy(function(check_indices(k, length, "k"))).to(k.device)
    if isinstance(k, list | tuple) or (isinstance(k, np.ndarray) and k.ndim):
        return function(check_indices(k, length, "k"))
    return function(check_index(k, length, "k"))
