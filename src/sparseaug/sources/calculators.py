"""Any ASE calculator, averaged over rotations: energy, forces, stress, dipole, and how much they vary.

With R the matrix of g, E(R x) has the forces R^T F(R x) and the stress R^T sigma(R x, R h) R, h the
cell, which turns with the atoms. The mean over S of these three is the energy of one function and its
own derivatives: energy is conserved, and the better S is, the less the function changes when the
atoms are turned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_callable
from sparseaug.errors import ArgumentError, UnsupportedError, need, shorten, shorten_text
from sparseaug.groups import Rotations
from sparseaug.sampling import GroupSample
from sparseaug.sources.symmetry import Floats

PROPERTIES = (
    "energy", "free_energy", "energies", "forces", "stress", "dipole", "charges", "polarizability"
)  # fmt: skip
"""What is averaged, of what the calculator has."""

Batch: TypeAlias = Callable[[list[Any]], Sequence[Mapping[str, Any]]]


def averaged_calculator(calculator: Any, S: GroupSample, *, batch: Batch | None = None) -> Any:
    """An ASE calculator that averages another one over the rotations of S.

    Args:
        calculator: any ASE calculator with energies, and forces and stress where it has them.
        S: rotations of space, such as `design(rotations(3), degree=5)`; with `orthogonal(3)` mirror
            images are averaged too. Equal elements are computed once. For a simulation that is
            unbiased in its orientation, and conserves energy, give each trajectory one translate of
            its own: `S.translate(oracle)`.
        batch: batch(atoms) -> results computes all turned copies in one call, where the potential takes
            several structures: a list of `Atoms` to a mapping of results for each, such as
            {"energy": ..., "forces": ...}. `calculator` then only says what there is.

    Returns:
        An `ase.calculators.calculator.Calculator`, for `atoms.calc`. After a calculation its `spread`
        has the standard deviation over S of the energy, and of each component of forces and stress
        turned back: how far the calculator is from being invariant on these atoms. Of m uniform draws
        the mean errs by about spread / sqrt(m); a design errs by less.

    Raises:
        ArgumentError: S is not a sample of rotations of space, or the calculator has no energies.
        MissingPackageError: ASE is not installed.

    One calculation for each rotation gives all that the calculator finds in it: energy, forces and
    stress together where it computes them together. The result can be pickled if the calculator can.
    When a calculator refuses turned atoms, such as those in a cell that must lie along the axes, that
    is an `UnsupportedError`.

    Examples:
        >>> from ase.build import molecule
        >>> from ase.calculators.emt import EMT
        >>> import sparseaug as sa
        >>> from sparseaug.sources import averaged_calculator
        >>> water = molecule("H2O")
        >>> water.calc = averaged_calculator(EMT(), sa.design(sa.rotations(3), degree=2))
        >>> energy = water.get_potential_energy(), EMT().get_potential_energy(water)
        >>> [round(float(each), 4) for each in energy]
        [2.6198, 2.6198]
        >>> round(water.calc.spread["energy"], 9)  # EMT is invariant
        0.0
    """
    kind = _calculator_class()
    if not isinstance(S, GroupSample):
        raise ArgumentError(f"S={shorten(S)} is not a GroupSample; give a design or draws.")
    group = cast(Rotations, S.group)
    if not group.rotates_space:
        raise ArgumentError(
            f"S is a sample of {group.name}, which does not rotate space; use rotations(3) or "
            "orthogonal(3)."
        )
    offered = getattr(calculator, "implemented_properties", None)
    if not isinstance(offered, list | tuple) or "energy" not in offered:
        raise ArgumentError(
            f"calculator={shorten(calculator)} is not an ASE calculator with energies."
        )
    rows, counts = S.counts()
    if batch is not None:
        check_callable("batch", batch, "batch(list of atoms) -> list of results")
    return kind(calculator, S, group.matrices(rows), counts / S.m, batch)


@lru_cache(maxsize=1)
def _calculator_class() -> Any:
    ase = need("ase.calculators.calculator", "averaged_calculator", extra="ase")

    class AveragedCalculator(ase.Calculator):  # type: ignore[misc, name-defined]
        """The mean of a calculator over the rotations of S; made by `averaged_calculator`."""

        def __init__(
            self,
            calculator: Any,
            S: GroupSample,
            matrices: Floats,
            weights: Floats,
            batch: Batch | None,
        ) -> None:
            super().__init__()
            self.calculator, self.sample, self.batch = calculator, S, batch
            offered = calculator.implemented_properties
            self.implemented_properties = [name for name in PROPERTIES if name in offered]
            self.spread: dict[str, Any] = {}
            self._matrices, self._weights = matrices, weights

        def calculate(
            self, atoms: Any = None, properties: Any = ("energy",), system_changes: Any = None
        ) -> None:
            """The mean of every property over S, and its standard deviation."""
            super().calculate(atoms, properties, system_changes or ase.all_changes)
            # ASE forgets results when the atoms change; their spread goes with them
            self.spread = {name: self.spread[name] for name in self.spread if name in self.results}
            wanted = [
                name for name in self.implemented_properties if name in {*properties, "energy"}
            ]
            copies = (turned_atoms(self.atoms, R) for R in self._matrices)
            if self.batch is None:
                values = [
                    self._values(turned, wanted, R)
                    for turned, R in zip(copies, self._matrices, strict=True)
                ]
            else:
                values = self._together(list(copies))
            for name in set.intersection(*map(set, values)):
                stacked = np.stack([found[name] for found in values])
                mean = np.tensordot(self._weights, stacked, 1)
                square = np.tensordot(self._weights, (stacked - mean) ** 2, 1)
                self.results[name] = float(mean) if mean.ndim == 0 else mean
                self.spread[name] = float(np.sqrt(square)) if mean.ndim == 0 else np.sqrt(square)

        def _together(self, copies: list[Any]) -> list[dict[str, NDArray[Any]]]:
            """All copies in one call, turned back."""
            found = list(self.batch(copies))  # type: ignore[misc]
            if len(found) != len(copies) or not all("energy" in one for one in found):
                raise ArgumentError(
                    f"batch returned {len(found)} results for {len(copies)} structures, or some without "
                    '"energy"; give one mapping for each.'
                )
            return [
                {
                    name: _turn_back(name, np.asarray(one[name], float), R)
                    for name in self.implemented_properties
                    if name in one
                }
                for one, R in zip(found, self._matrices, strict=True)
            ]

        def _values(self, turned: Any, wanted: list[str], R: Floats) -> dict[str, NDArray[Any]]:
            """What is wanted of turned atoms, and what the calculator found on the way, turned back."""
            try:
                # forces mostly bring the energy, not the other way round
                found = {name: self.calculator.get_property(name, turned) for name in wanted[::-1]}
            except (ase.CalculatorError, ase.PropertyNotImplementedError):
                raise
            except Exception as error:
                raise UnsupportedError(
                    f"calculator={shorten(self.calculator)} does not take turned atoms: "
                    f"{type(error).__name__}: {shorten_text(str(error))}; if it needs a cell along the "
                    "axes, remove the cell of atoms that do not repeat (atoms.cell = None), or give "
                    "an S that keeps the cell's directions."
                ) from error
            known = {**(getattr(self.calculator, "results", None) or {}), **found}
            return {
                name: _turn_back(name, np.asarray(known[name], float), R)
                for name in self.implemented_properties
                if known.get(name) is not None
            }

        def __reduce__(self) -> tuple[Any, ...]:
            # the class is made where ASE is, so it has no name to be found by
            made = partial(averaged_calculator, batch=self.batch)
            return made, (self.calculator, self.sample), self.__dict__

    return AveragedCalculator


def turned_atoms(atoms: Any, R: Floats) -> Any:
    """A copy of the atoms, turned with its cell and its magnetic moments."""
    turned = atoms.copy()
    turned.set_constraint()  # a fixed atom would stay where it is
    turned.set_cell(atoms.cell.array @ R.T, scale_atoms=False)
    turned.set_positions(atoms.positions @ R.T)
    moments = turned.get_initial_magnetic_moments()
    if moments.ndim == 2:  # axial vectors; numbers do not turn
        turned.set_initial_magnetic_moments(np.linalg.det(R) * moments @ R.T)
    return turned


_VOIGT = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))


def _turn_back(name: str, value: NDArray[Any], R: Floats) -> NDArray[Any]:
    """What a rotated structure gave, in the frame of the structure itself."""
    if name in ("forces", "dipole"):
        return value @ R
    if name == "polarizability":
        return np.asarray(R.T @ value.reshape(3, 3) @ R)
    if name != "stress":
        return value
    if value.shape == (3, 3):
        full = value
    else:
        full = np.empty((3, 3))
        for entry, (i, j) in zip(value, _VOIGT, strict=True):
            full[i, j] = full[j, i] = entry
    back = R.T @ full @ R
    return np.array([back[i, j] for i, j in _VOIGT])
