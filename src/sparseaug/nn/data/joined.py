"""A batch whose samples are rows of tensors already: PyTorch's default collate need not copy them again.

A loader asks a data set for a list of samples and joins them: to cut a moved batch into samples and join
these again takes longer than to move it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, final

import torch
from torch.utils.data._utils import collate


class JoinedItem(tuple[Any, ...]):
    """An item of a `JoinedBatch`: `default_collate` asks the type of the first item what to do."""

    __slots__ = ()


@final
class JoinedBatch(Sequence[Any]):
    """The items (x, y, ...) whose parts are the rows of these tensors: a sequence of tuples.

    `default_collate`, which a `DataLoader` uses unless told otherwise, returns the tensors themselves,
    in the list that it makes of tuples, and joins what is not a tensor. Other functions find a
    sequence of items.

    Args:
        columns: tensors (k, ...) or sequences of k things, one for each part of an item

    Examples:
        >>> import torch
        >>> from torch.utils.data import default_collate
        >>> batch = JoinedBatch([torch.eye(2), torch.tensor([3, 4])])
        >>> batch[1], len(batch)
        ((tensor([0., 1.]), tensor(4)), 2)
        >>> default_collate(batch)[0] is batch.columns[0]
        True
    """

    def __init__(self, columns: Sequence[Any]) -> None:
        self.columns = [
            column.contiguous() if isinstance(column, torch.Tensor) else column
            for column in columns
        ]
        # PyTorch's table of types; an entry for ours, in every process that makes a batch
        collate.default_collate_fn_map.setdefault(JoinedItem, _columns)

    def __len__(self) -> int:
        return len(self.columns[0])

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return list(self)[k]
        return JoinedItem(column[k] for column in self.columns)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        rows = (c.unbind(0) if isinstance(c, torch.Tensor) else c for c in self.columns)
        return zip(*rows, strict=True)


def _columns(batch: Sequence[Any], *, collate_fn_map: Any = None) -> Any:
    """What `default_collate` makes of these items: no copy, unless a user joins tensors otherwise."""
    usual = (collate_fn_map or {}).get(torch.Tensor) is collate.collate_tensor_fn
    if isinstance(batch, JoinedBatch) and usual:
        return [
            column
            if isinstance(column, torch.Tensor)
            else collate.collate(column, collate_fn_map=collate_fn_map)
            for column in batch.columns
        ]
    return collate.collate([tuple(item) for item in batch], collate_fn_map=collate_fn_map)
