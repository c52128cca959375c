"""shap's `PermutationExplainer` with chosen orders: all else is shap's."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparseaug.errors import need
from sparseaug.shapley.chosen import chosen_orders

need("shap", "PermutationExplainer", extra="sparseaug[shapley]")

import shap
from shap.utils import MaskedModel


class PermutationExplainer(shap.PermutationExplainer):  # type: ignore[misc]
    """shap's `PermutationExplainer`, whose orders are chosen instead of drawn.

    Both take an order and its reverse at a time: 2 n + 1 evaluations of the model for n features. Here
    the features of each triple are in the middle as evenly as possible, and are renamed at random for
    each sample. Where shap's masker has a clustering, the orders are shap's own.

    Args:
        model: a function from samples to outputs
        masker: shap's masker, or background samples
        link: of the outputs, from `shap.links`
        feature_names: for plots
        linearize_link: as in shap
        seed: makes the values reproducible
        **call_args: new defaults of the call: `max_evals`, `main_effects`, `error_bounds`, `batch_size`

    Examples:
        >>> import numpy as np
        >>> from sparseaug.shapley import PermutationExplainer
        >>> x = np.random.default_rng(0).normal(size=(20, 5))
        >>> product = lambda x: x[:, 0] * x[:, 1] * x[:, 2] * x[:, 3]
        >>> explain = PermutationExplainer(product, np.zeros((1, 5)), seed=0)
        >>> values = explain(x, max_evals=66, silent=True).values              # 6 orders, 6 reverses
        >>> round(float(np.abs(values[:, :4] - product(x)[:, None] / 4).max()), 12)  # exact
        0.0
    """

    def __init__(
        self,
        model: Any,
        masker: Any,
        link: Any = shap.links.identity,
        feature_names: list[str] | None = None,
        linearize_link: bool = True,
        seed: int | None = None,
        **call_args: Any,
    ) -> None:
        self._renaming = np.random.default_rng(seed)
        super().__init__(model, masker, link, feature_names, linearize_link, seed, **call_args)

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
        evaluations = 20 * len(fm) if max_evals == "auto" else max_evals
        pairs = evaluations // (2 * n + 1)
        if n == 0 or pairs == 0 or getattr(self.masker, "clustering", None) is not None:
            given = {"main_effects": main_effects, "error_bounds": error_bounds}
            given |= {"max_evals": max_evals, "batch_size": batch_size, **others}
            return super().explain_row(*row_args, **given)
        orders = self._renaming.permutation(features)[chosen_orders(n, 2 * pairs)[::2]]
        added = []  # what each feature adds, in each order and in its reverse
        for order in orders:
            switched = np.concatenate([[MaskedModel.delta_mask_noop_value], order, order])
            y = fm(switched, zero_index=0, batch_size=batch_size)
            for step in (y[1 : n + 1] - y[:n], y[n:-1] - y[n + 1 :]):  # switched on, switched off
                added.append(np.zeros((len(fm), *y.shape[1:])))
                added[-1][order] = step
        return {
            "values": np.mean(added, axis=0),
            "expected_values": y[0],
            "mask_shapes": fm.mask_shapes,
            "main_effects": fm.main_effects(features, batch_size) if main_effects else None,
            "clustering": None,
            "error_std": np.std(added, axis=0) if error_bounds else None,
            "output_names": getattr(self.model, "output_names", None),
        }

    def __str__(self) -> str:
        return "sparseaug.shapley.PermutationExplainer()"
