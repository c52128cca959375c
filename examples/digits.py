"""Shifted digits and a forest that knows no symmetry: 32 shifts, chosen once, in place of all 64.

    python examples/digits.py

Needs scikit-learn. The whole comparison, with seeds and intervals: `python -m studies.examples.digits`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

import sparseaug as sa
from sparseaug.sklearn import OneShotClassifier

TRAIN, TEST = slice(0, 150), slice(150, 650)


def main() -> None:
    """Accuracy on digits that lie anywhere in the image: none, drawn, designed, all."""
    images, labels = load_digits(return_X_y=True)
    shifts = sa.roll(sa.abelian(8, 8))  # the 64 periodic shifts of an 8 x 8 image
    anywhere = sa.Oracle(shifts.group, seed=1).draw(20)  # where they lie in the test
    moved, truth = sa.augment(shifts, anywhere, images[TEST].reshape(-1, 8, 8), labels[TEST])

    forest = RandomForestClassifier(50, random_state=0)
    samples: dict[str, Any] = {
        "32 drawn": sa.Oracle(shifts.group, seed=0).draw(32),
        "32 designed": sa.design(shifts.group, m=32, identity=True),
        "all 64": "full",
    }
    models = {"none": forest.fit(images[TRAIN], labels[TRAIN])}
    for name, S in samples.items():
        model = OneShotClassifier(forest, action=shifts, S=S, sample_shape=(8, 8), average=False)
        models[name] = model.fit(images[TRAIN], labels[TRAIN])
    for name, model in models.items():
        right = model.predict(moved.reshape(len(moved), -1)) == truth
        print(f"{name:12} {np.mean(right):.1%}")


if __name__ == "__main__":
    main()
