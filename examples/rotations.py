"""A learned potential that does not know rotations, averaged over 12 or 60 of them.

    python examples/rotations.py

Needs scikit-learn and ASE. The whole comparison, with a network: `python -m studies.examples.rotations`.
"""

from __future__ import annotations

import numpy as np
from ase.build import molecule
from ase.calculators.emt import EMT
from sklearn.kernel_ridge import KernelRidge

import sparseaug as sa


def main() -> None:
    """How much predicted energies of water change when it is turned: alone, drawn, designed."""
    rng = np.random.default_rng(0)
    turns = sa.rotate(sa.rotations(3))  # acts on coordinates (atoms, 3)
    positions, energies = [], []
    for _ in range(300):
        water = molecule("H2O", calculator=EMT())  # type: ignore[no-untyped-call]
        water.positions += rng.normal(scale=0.05, size=(3, 3)) - water.positions.mean(axis=0)
        turned = turns(turns.group.sample(1, rng), water.positions[None])[0, 0]
        positions.append(turned)
        energies.append(water.get_potential_energy())
    x = np.array(positions)
    ridge = KernelRidge(kernel="rbf", gamma=0.5, alpha=1e-3).fit(x.reshape(300, -1), energies)

    def energy(batch: np.ndarray) -> np.ndarray:
        return ridge.predict(batch.reshape(len(batch), -1))

    views = {
        "alone": sa.GroupSample(turns.group, turns.group.identity().reshape(1, -1)),
        "12 drawn": sa.Oracle(turns.group, seed=0).draw(12),
        "12 designed": sa.design(turns.group, degree=2),
        "60 drawn": sa.Oracle(turns.group, seed=0).draw(60),
        "60 designed": sa.design(turns.group, degree=5),
    }
    test, orientations = x[:20], turns.group.sample(50, rng)
    for name, S in views.items():
        means = [
            energy(turns(S.elements, seen).reshape(-1, 3, 3)).reshape(S.m, -1).mean(axis=0)
            for seen in turns(orientations, test)
        ]
        print(f"{name:12} {1000 * np.std(means, axis=0).mean():8.3f} meV")


if __name__ == "__main__":
    main()
