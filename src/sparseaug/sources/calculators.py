"""Any ASE calculator, averaged over rotations: energy, forces and stress, and how much they vary.

With R the matrix of g, E(R x) has the forces R^T F(R x) and the stress R^T sigma(R x, R h) R, h the
cell, which turns with the atoms. The mean over S of these three is the energy of one function and its
own derivatives: energy is conserved, and the better S is, the less the function changes when the
atoms are turned.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import ArgumentError, UnsupportedError, need, shorten, shorten_text
from sparseaug.groups import Rotations
from sparseaug.sampling import GroupSample
from sparseaug.sources.symmetry import Floats

PROPERTIES = ("energy", "free_energy", "forces", "stress")
"""What is averaged, of what the calculator has."""


def averaged_calculator(calculator: Any, S: GroupSample) -> Any:
    """An ASE calculator that averages another one over the rotations of S.

    Args:
        calculator: any ASE calculator with energies, and forces and stress where it has them.
        S: rotations of space, such as `design(rotations(3), degree=5)`; with `orthogonal(3)` mirror
            images are averaged too. Equal elements are computed once.

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
    return kind(calculator, S, group.matrices(rows), counts / S.m)


@lru_cache(maxsize=1)
def _calculator_class() -> Any:
    ase = need("ase.calculators.calculator", "averaged_calculator", extra="ase")

    class AveragedCalculator(ase.Calculator):  # type: ignore[misc, name-defined]
        """The mean of a calculator over the rotations of S; made by `averaged_calculator`."""

        def __init__(
            self, calculator: Any, S: GroupSample, matrices: Floats, weights: Floats
        ) -> None:
            super().__init__()
            self.calculator, self.sample = calculator, S
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
            values: list[dict[str, NDArray[Any]]] = []
            for R in self._matrices:
                turned = self.atoms.copy()
                turned.set_constraint()  # a fixed atom would stay where it is
                turned.set_cell(self.atoms.cell.array @ R.T, scale_atoms=False)
                turned.set_positions(self.atoms.positions @ R.T)
                moments = turned.get_initial_magnetic_moments()
                if moments.ndim == 2:  # axial vectors; numbers do not turn
                    turned.set_initial_magnetic_moments(np.linalg.det(R) * moments @ R.T)
                values.append(self._values(turned, wanted, R))
            for name in set.intersection(*map(set, values)):
                stacked = np.stack([found[name] for found in values])
                mean = np.tensordot(self._weights, stacked, 1)
                square = np.tensordot(self._weights, (stacked - mean) ** 2, 1)
                self.results[name] = float(mean) if mean.ndim == 0 else mean
                self.spread[name] = float(np.sqrt(square)) if mean.ndim == 0 else np.sqrt(square)

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
            return averaged_calculator, (self.calculator, self.sample), self.__dict__

    return AveragedCalculator


_VOIGT = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))


def _turn_back(name: str, value: NDArray[Any], R: Floats) -> NDArray[Any]:
    """What a rotated structure gave, in the frame of the structure itself."""
    if name == "forces":
        return value @ R
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
