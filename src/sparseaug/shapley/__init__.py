"""Shapley values with chosen orders, in the tools that people have.

explainer  PermutationExplainer, shap's with other orders
sampler    PermutationSampler, pyDVL's with other orders
chosen     the orders that both and captum's `permutation_generator` take

A Shapley value is the mean over all orders of what a player adds to those before it. Orders in pairs
with their reverses are exact for interactions of up to two players, and of up to four if in each
triple of players each is in the middle equally often (`sparseaug.orders`, balance="middle").
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sparseaug.shapley.chosen import permutation_generator

if TYPE_CHECKING:
    from sparseaug.shapley.explainer import PermutationExplainer
    from sparseaug.shapley.sampler import PermutationSampler

__all__ = ["PermutationExplainer", "PermutationSampler", "permutation_generator"]

_HOME = {"PermutationExplainer": "explainer", "PermutationSampler": "sampler"}


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]


def __getattr__(name: str) -> Any:
    """A class whose package is imported when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'sparseaug.shapley' has no attribute {name!r}")
    return getattr(import_module(f"sparseaug.shapley.{_HOME[name]}"), name)
