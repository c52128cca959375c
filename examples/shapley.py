"""Shapley values in shap and captum with chosen orders instead of random ones: copy what you need.

    python examples/shapley.py

Orders come in pairs with their reverses, and in each triple of features each is in the middle as evenly
as possible (`sparseaug.orders`): exact for interactions of up to four features where there are enough
orders, and better than random pairs below. The names of the features are drawn for each sample, so that
every order alone is uniform. `main` needs shap and scikit-learn.

With `error_bounds=True` there are `SETS` chosen sets instead of one, each with names of its own: their
means are independent, so that `error_std`, the standard error of the values, needs no assumption. A 95 %
interval is 3.18 times it to both sides (Student's t of four). The values are then less exact than those
of one set; the scatter of single orders, as shap has it, says nothing about a chosen set.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import shap
from shap.utils import MaskedModel
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

import sparseaug as sa

SETS = 4
"""Independent sets behind an error bar."""


@lru_cache(maxsize=16)
def chosen_orders(n: int, m: int) -> np.ndarray:
    """(m, n): every second order is the reverse of the one before it."""
    return sa.orders(n, m, balance="middle", rng=0)


def permutation_generator(num_features: int, num_samples: int) -> Iterator[list[int]]:
    """For captum: `ShapleyValueSampling(f).permutation_generator = permutation_generator`."""
    names = np.random.default_rng().permutation(num_features)
    return iter(names[chosen_orders(num_features, num_samples)].tolist())


class PermutationExplainer(shap.PermutationExplainer):  # type: ignore[misc]
    """shap's `PermutationExplainer` with chosen orders; with a clustering, shap's own."""

    def __init__(self, *args: Any, seed: int | None = None, **options: Any) -> None:
        self._names = np.random.default_rng(seed)
        super().__init__(*args, seed=seed, **options)

    def explain_row(
        self,
        *row_args: Any,
        max_evals: Any,
        main_effects: bool,
        error_bounds: bool,
        batch_size: Any,
        **others: Any,
    ) -> dict[str, Any]:
        """What shap's method returns for one sample."""
        fm = MaskedModel(self.model, self.masker, self.link, self.linearize_link, *row_args)
        features = fm.varying_inputs()
        n = len(features)
        pairs = (20 * len(fm) if max_evals == "auto" else max_evals) // (2 * n + 1)
        if n == 0 or pairs == 0 or getattr(self.masker, "clustering", None) is not None:
            given = {"max_evals": max_evals, "main_effects": main_effects, **others}
            given |= {"error_bounds": error_bounds, "batch_size": batch_size}
            return super().explain_row(*row_args, **given)
        sets = np.array_split(np.arange(pairs), min(SETS, pairs) if error_bounds else 1)
        means = []  # of each set, what each feature adds in its orders and in their reverses
        for size in map(len, sets):
            added = []
            for order in self._names.permutation(features)[chosen_orders(n, 2 * size)[::2]]:
                switched = np.concatenate([[MaskedModel.delta_mask_noop_value], order, order])
                y = fm(switched, zero_index=0, batch_size=batch_size)
                for step in (y[1 : n + 1] - y[:n], y[n:-1] - y[n + 1 :]):  # switched on, off
                    added.append(np.zeros((len(fm), *y.shape[1:])))
                    added[-1][order] = step
            means.append(np.mean(added, axis=0))
        spread = np.std(means, axis=0, ddof=1) if len(means) > 1 else np.full_like(means[0], np.inf)
        return {
            "values": np.mean(means, axis=0),
            "expected_values": y[0],
            "mask_shapes": fm.mask_shapes,
            "main_effects": fm.main_effects(features, batch_size) if main_effects else None,
            "clustering": None,
            "error_std": spread / len(means) ** 0.5 if error_bounds else None,
            "output_names": getattr(self.model, "output_names", None),
        }


def main() -> None:
    """The error of both explainers for a forest, at the same number of evaluations."""
    x, y = load_diabetes(return_X_y=True)
    model = RandomForestRegressor(40, max_depth=8, random_state=0).fit(x[50:], y[50:]).predict
    exact = shap.ExactExplainer(model, x[:10])(x[10:20], silent=True).values  # 1,024 evaluations
    for name, kind in (("random", shap.PermutationExplainer), ("chosen", PermutationExplainer)):
        found = kind(model, x[:10], seed=0)(x[10:20], max_evals=434, silent=True).values
        print(f"{name} orders {np.sqrt(np.mean((found - exact) ** 2)):.3f} rms error")


if __name__ == "__main__":
    main()
