"""What a sample and a table of samples have in common: group, cost, origin, hash, and one file each."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparseaug._archive import canonical_json, load_archive, require, save_archive
from sparseaug._checks import check_flag, check_type
from sparseaug._io import show_path
from sparseaug.errors import (
    ArgumentError,
    FileFormatError,
    GroupTooLargeError,
    SparseAugError,
    UnsupportedError,
)
from sparseaug.groups import Distribution, Group, distribution_from_dict
from sparseaug.groups.distributions.base import group_of
from sparseaug.sampling.origin import Origin

Some = TypeVar("Some", bound="Stored")


class Stored(ABC):
    """Elements of one group with their cost and origin; a subclass names its field of rows."""

    distribution: Distribution
    calls: int
    origin: Origin

    _field: ClassVar[str]  # which holds the rows
    _counted: ClassVar[tuple[str, ...]] = ()  # facts of a file beside those that all have

    @classmethod
    @abstractmethod
    def _hash(cls, group: Distribution, rows: NDArray[Any]) -> str:
        """SHA-256 of such rows of this group."""

    @property
    def group(self) -> Group:
        """The group; of another distribution a `NotAGroupError`."""
        return group_of(self.distribution)

    @property
    def seed(self) -> int | None:
        """The seed it was drawn with; None where nothing was drawn."""
        return self.origin.seed

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the elements in their group, the same on every machine."""
        return self._hash(self.distribution, self._rows)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write one safetensors file, whole or not at all.

        An existing file is refused unless it holds the same, or with overwrite=True.

        Args:
            path: file to write
            overwrite: replace a file that holds something else
        """
        overwrite = check_flag("overwrite", overwrite)
        group = self.distribution
        description = group.to_dict()
        if not _describes(description, group):
            raise UnsupportedError(
                f"{group.name} is not of this library and cannot be saved; keep seed and calls."
            )
        counted = {name: getattr(self, name) for name in self._counted}
        facts = {"group": description, **counted, **self._facts()}
        flat = np.ascontiguousarray(self._rows).reshape(-1, group.width)
        save_archive(path, self._schema(), {"elements": flat}, facts, overwrite=overwrite)

    @classmethod
    def load(cls: type[Some], path: str | os.PathLike[str]) -> Some:
        """Read a file that `save` wrote; every field and the checksum are verified."""
        arrays, facts = load_archive(path, cls._schema())
        flat = arrays.get("elements", np.empty(0))
        whole = set(arrays) == {"elements"} and flat.dtype in (np.int64, np.float64)
        require(whole and flat.ndim == 2, path, "it needs one array 'elements' of int64 or float64")
        known = {"group", "calls", "origin", "sha256", *cls._counted}
        require(set(facts) == known, path, "its facts are not those of a sample")
        try:
            with np.errstate(all="ignore"):  # entries of matrices may be anything
                group = distribution_from_dict(facts["group"])
            same = canonical_json(group.to_dict()) == canonical_json(facts["group"])
            require(same, path, "its group is not described as it would be")
            require(
                flat.dtype == group.row_dtype, path, f"the rows of {group.name} are of another type"
            )
            rows = flat.reshape(*(facts[name] for name in cls._counted), -1, flat.shape[1])
            # before the rows take minutes to check
            require(cls._hash(group, rows) == facts["sha256"], path, "its hash does not match")
            made = cls(group, rows, facts["calls"], Origin.from_dict(facts["origin"]))  # type: ignore[call-arg]
        except GroupTooLargeError as error:
            raise GroupTooLargeError(f"{show_path(path)} cannot be loaded: {error}") from error
        except FileFormatError:
            raise
        except (SparseAugError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise FileFormatError(f"{show_path(path)} is damaged: {error}") from error
        require(np.array_equal(made._rows, rows), path, "its rows are not as S has them")
        same = canonical_json(asdict(made.origin)) == canonical_json(facts["origin"])
        require(same, path, "its origin is not that of a sample")
        return made

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON data."""
        rows = {self._field: self._rows.tolist()}
        return {"group": self.distribution.to_dict(), **rows, **self._facts()}

    @classmethod
    def from_dict(cls: type[Some], data: Mapping[str, Any]) -> Some:
        """What `to_dict` described; its hash is checked.

        Args:
            data: what `to_dict` gave, as such or by way of JSON.
        """
        check_type("data", data, Mapping, "a mapping; give what to_dict() gave")
        missing = {"group", cls._field, "calls", "origin", "sha256"} - set(data)
        if missing:
            raise ArgumentError(f"data has no {min(missing)!r}; give all of what to_dict() gave.")
        group, origin = distribution_from_dict(data["group"]), Origin.from_dict(data["origin"])
        made = cls(group, data[cls._field], data["calls"], origin)  # type: ignore[call-arg]
        if made.sha256 != data["sha256"]:
            raise ArgumentError(f"data was changed: its sha256 is not that of its {cls._field}.")
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.distribution == other.distribution and self.sha256 == other.sha256

    def __hash__(self) -> int:
        return hash(self.sha256)

    @property
    def _rows(self) -> NDArray[Any]:
        return getattr(self, self._field)

    @classmethod
    def _schema(cls) -> str:
        return f"sparseaug.{cls.__name__}/1"

    def _facts(self) -> dict[str, Any]:
        return {"calls": self.calls, "origin": asdict(self.origin), "sha256": self.sha256}


def _describes(description: dict[str, Any], group: Distribution) -> bool:
    try:
        return distribution_from_dict(description) == group
    except SparseAugError:
        return False
