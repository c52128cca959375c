"""Any ASE calculator, averaged over rotations: energy, forces, stress, dipole, and how much they vary.

With R the matrix of g, E(R x) has the forces R^T F(R x) and the stress R^T sigma(R x, R h) R, h the
cell, which turns with the atoms. The mean over S of these three is the energy of one function and its
own derivatives: energy is conserved, and the better S is, the less the function changes when the
atoms are turned.

Where Q takes the atoms to themselves, site s to p(s), R Q x is R x with its atoms in another order: one
calculation serves all R Q of S. Its results are those of R with the sites p(s), turned back by Q too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from sparseaug._checks import check_callable, check_choice, check_integer, check_type
from sparseaug.errors import ArgumentError, UnsupportedError, need, shorten, shorten_text
from sparseaug.groups import Rotations, Rows
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.oracle import require_oracle
from sparseaug.sources.symmetry import Floats, SiteSymmetry

PROPERTIES = (
    "energy", "free_energy", "energies", "forces", "stress", "dipole", "charges", "polarizability"
)  # fmt: skip
"""What is averaged, of what the calculator has."""

KEPT = 1e-3
"""How far, in angstroms, atoms may be from where their symmetry takes them."""

Batch: TypeAlias = Callable[[list[Any]], Sequence[Mapping[str, Any]]]
Values: TypeAlias = dict[str, NDArray[Any]]


def averaged_calculator(
    calculator: Any,
    S: GroupSample,
    *,
    batch: Batch | None = None,
    n_jobs: int = 1,
    translate_per: Literal["trajectory"] | None = None,
    oracle: Oracle | None = None,
    symmetry: SiteSymmetry | None = None,
) -> Any:
    """An ASE calculator that averages another one over the rotations of S.

    Args:
        calculator: any ASE calculator with energies, and forces and stress where it has them.
        S: rotations of space, such as `design(rotations(3), degree=5)`, or what `choose_rotations`
            found; with `orthogonal(3)` mirror images are averaged too. Equal elements are computed once.
        batch: batch(atoms) -> results computes all turned copies in one call, where the potential takes
            several structures: a list of `Atoms` to a mapping of results for each, such as
            {"energy": ..., "forces": ...}. `calculator` then only says what there is.
        n_jobs: processes that share the turned copies. The calculator is sent to them each time, so that
            this pays where one calculation takes a second or more.
        translate_per: "trajectory": h S in place of S, with one random h for each trajectory. Energy is
            conserved within it, and no orientation is preferred on average over them. The first h is
            drawn at once, the next by `new_trajectory()` of the result.
        oracle: of the group of S, with translate_per; it counts the draws.
        symmetry: of the atoms, from `crystal` or `point_group`: rotations of S that differ by one of
            its operations are computed once. Right for potentials that do not depend on the order of
            the atoms; atoms that have moved out of the symmetry are refused.

    Returns:
        An `ase.calculators.calculator.Calculator`, for `atoms.calc`. After a calculation its `spread`
        has the standard deviation over S of the energy, and of each component of forces and stress
        turned back: how far the calculator is from being invariant on these atoms. Of m uniform draws
        the mean errs by about spread / sqrt(m); a design errs by less. Its `sample` is S, or h S.

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
    check_type("S", S, GroupSample, "a GroupSample; give a design or draws")
    if not cast(Rotations, S.group).rotates_space:
        raise ArgumentError(f"S of {S.group.name} does not rotate space; use rotations(3).")
    offered = getattr(calculator, "implemented_properties", None)
    if not isinstance(offered, list | tuple) or "energy" not in offered:
        raise ArgumentError(f"calculator={shorten(calculator)} is not an ASE one with energies.")
    if batch is not None:
        check_callable("batch", batch, "batch(list of atoms) -> list of results")
    n_jobs = check_integer("n_jobs", n_jobs, at_least=1, below=1 << 10)
    if translate_per is not None:
        check_choice("translate_per", translate_per, ("trajectory",))
        require_oracle(oracle, S.group)
    elif oracle is not None:
        raise ArgumentError('oracle goes with translate_per="trajectory"; give both or neither.')
    if symmetry is not None:
        check_type("symmetry", symmetry, SiteSymmetry, "what crystal or point_group found")
    made = kind(calculator, S, batch, n_jobs, oracle, symmetry)
    made.new_trajectory()
    return made


class Turns(NamedTuple):
    """The rotations of S: those that are computed, and how the others follow from them."""

    matrices: Floats  # (k, 3, 3), computed
    weights: Floats  # of all the m, a share each
    source: Rows  # (m,): which of the k each one follows from
    operation: Rows  # (m,): the operation Q with R = matrices[source] Q
    between: Floats  # the operations (p, 3, 3), the identity first
    images: Rows  # (p, atoms): where they take the sites

    def kept_by(self, atoms: Any) -> bool:
        """Whether all operations that were used take these atoms to themselves."""
        used = np.unique(self.operation)
        Q, images = self.between[used], self.images[used]
        if not used.any():
            return True
        if images.shape[1] != len(atoms) or atoms.get_initial_magnetic_moments().any():
            return False
        apart = atoms.positions @ Q.swapaxes(1, 2) - atoms.positions[images]
        apart = apart - apart[:, :1]
        cell = atoms.cell.array
        if atoms.pbc.all():
            lattice = cell @ Q.swapaxes(1, 2)
            apart = np.concatenate([apart, lattice], axis=1) @ np.linalg.inv(cell)
            apart = (apart - np.rint(apart)) @ cell
        same = atoms.numbers[images] == atoms.numbers
        return bool(same.all() and abs(apart).max() <= KEPT)


def turns_of(S: GroupSample, symmetry: SiteSymmetry | None) -> Turns:
    """The distinct rotations of S, one computed for each set R P with P the point group."""
    rows, counts = S.counts()
    every, between = cast(Rotations, S.group).matrices(rows), np.eye(3)[None]
    images = np.zeros((1, 0), np.int64)
    if symmetry is not None:
        turns = np.array(symmetry.vectors.rotations)  # inner translations leave one matrix
        first = np.sort(np.unique(turns.round(6), axis=0, return_index=True)[1])
        between, images = turns[first], np.array(symmetry.vectors.images)[first]
    source, operation = np.full(len(every), -1), np.zeros(len(every), np.int64)
    computed: list[int] = []
    for i, R in enumerate(every):
        if source[i] < 0:
            off = abs(between[:, None] - R.T @ every).max(axis=(2, 3))
            new = (off.min(axis=0) < 1e-6) & (source < 0)
            source[new], operation[new] = len(computed), off.argmin(axis=0)[new]
            computed.append(i)
    return Turns(every[computed], counts / S.m, source, operation, between, images)


@lru_cache(maxsize=1)
def _calculator_class() -> Any:
    ase = need("ase.calculators.calculator", "averaged_calculator")

    class AveragedCalculator(ase.Calculator):  # type: ignore[misc, name-defined]
        """The mean of a calculator over the rotations of S; made by `averaged_calculator`."""

        def __init__(
            self,
            calculator: Any,
            S: GroupSample,
            batch: Batch | None,
            n_jobs: int,
            oracle: Oracle | None,
            symmetry: SiteSymmetry | None,
        ) -> None:
            super().__init__()
            self.calculator, self.batch, self.n_jobs = calculator, batch, n_jobs
            self.given, self.oracle, self.symmetry = S, oracle, symmetry
            offered = calculator.implemented_properties
            self.implemented_properties = [name for name in PROPERTIES if name in offered]
            self.spread: dict[str, Any] = {}

        def new_trajectory(self) -> None:
            """Forget all results, and translate S by a new random element if translate_per says so."""
            self.sample = self.given
            if (
                self.oracle is not None
            ):  # from the left: quotients of two rotations stay as they are
                self.sample = self.given.translate(self.oracle, "left")
            self.turns = turns_of(self.sample, self.symmetry)
            self.reset()

        def calculate(
            self, atoms: Any = None, properties: Any = ("energy",), system_changes: Any = None
        ) -> None:
            """The mean of every property over S, and its standard deviation."""
            super().calculate(atoms, properties, system_changes or ase.all_changes)
            turns = self.turns
            if not turns.kept_by(self.atoms):
                raise ArgumentError(
                    f"atoms lack the {self.symmetry} or have magnetic moments; leave symmetry out."
                )
            # ASE forgets results when the atoms change; their spread goes with them
            self.spread = {name: self.spread[name] for name in self.spread if name in self.results}
            names = self.implemented_properties
            wanted = [name for name in names if name in {*properties, "energy"}]
            if self.batch is not None:
                values = self._together(turns.matrices)
            else:
                share = np.array_split(turns.matrices, min(len(turns.matrices), self.n_jobs))
                # processes: threads would share the one calculator
                parts = Parallel(len(share), backend="loky")(
                    delayed(values_of)(self.calculator, self.atoms, part, wanted, names)
                    for part in share
                )
                values = [each for part in parts for each in part]
            known = sorted(set.intersection(*map(set, values)))
            for name in known:
                stacked = np.stack(
                    [
                        _carried(name, values[i][name], turns.between[a], turns.images[a])
                        for i, a in zip(turns.source, turns.operation, strict=True)
                    ]
                )
                mean = np.tensordot(turns.weights, stacked, 1)
                square = np.tensordot(turns.weights, (stacked - mean) ** 2, 1)
                self.results[name] = float(mean) if mean.ndim == 0 else mean
                self.spread[name] = float(np.sqrt(square)) if mean.ndim == 0 else np.sqrt(square)

        def _together(self, matrices: Floats) -> list[Values]:
            """All copies in one call, turned back."""
            copies = [turned_atoms(self.atoms, R) for R in matrices]
            found = list(self.batch(copies))  # type: ignore[misc]
            if len(found) != len(copies) or not all("energy" in one for one in found):
                got = f"{len(found)} results for {len(copies)} structures"
                raise ArgumentError(f'batch returned {got}, or one without "energy"; give all.')
            names = self.implemented_properties
            return [_back(one, R, names) for one, R in zip(found, matrices, strict=True)]

        def __reduce__(self) -> tuple[Any, ...]:
            # the class is made where ASE is, so it has no name to be found by
            return _unmade, (), self.__dict__

    return AveragedCalculator


def _unmade() -> Any:
    kind = _calculator_class()
    return kind.__new__(kind)


def values_of(
    calculator: Any, atoms: Any, matrices: Floats, wanted: list[str], names: list[str]
) -> list[Values]:
    """For each rotation what is wanted, and what else the calculator found on the way, turned back."""
    ase = need("ase.calculators.calculator", "averaged_calculator")
    values = []
    for R in matrices:
        turned = turned_atoms(atoms, R)
        try:
            # forces mostly bring the energy, not the other way round
            found = {name: calculator.get_property(name, turned) for name in wanted[::-1]}
        except (ase.CalculatorError, ase.PropertyNotImplementedError):
            raise
        except Exception as error:
            told = f"{type(error).__name__}: {shorten_text(str(error))}; try atoms.cell = None"
            raise UnsupportedError(f"calculator does not take turned atoms: {told}.") from error
        known = {**(getattr(calculator, "results", None) or {}), **found}
        values.append(_back(known, R, names))
    return values


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


def _back(known: Mapping[str, Any], R: Floats, names: list[str]) -> Values:
    """What is known of turned atoms, of these names, in the frame of the atoms themselves."""
    return {
        name: _turn_back(name, np.asarray(known[name], float), R)
        for name in names
        if known.get(name) is not None
    }


def _carried(name: str, value: NDArray[Any], Q: Floats, image: Rows) -> NDArray[Any]:
    """What R Q gives, from what R gave, where Q takes site s to image[s]."""
    if not len(image):  # no symmetry
        return value
    sites = name in ("forces", "energies", "charges")
    return _turn_back(name, value[image] if sites else value, Q)


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
