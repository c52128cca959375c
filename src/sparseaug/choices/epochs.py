"""A solver for inspect_ai: in each epoch the options are in the next of the chosen orders."""

from __future__ import annotations

from random import Random
from typing import Any

from sparseaug.choices.answers import answer_orders
from sparseaug.errors import need

need("inspect_ai", "ordered_choices", extra="sparseaug[inspect]")

from inspect_ai.solver import Generate, Solver, TaskState, solver


class _Chosen(Random):
    """What inspect_ai shuffles with, where the result is known."""

    def __init__(self, order: list[int]) -> None:
        super().__init__()
        self.order = order

    def shuffle(self, x: Any) -> None:
        x[:] = [x[option] for option in self.order]


@solver  # type: ignore[untyped-decorator]
def ordered_choices(balance: str = "positions") -> Solver:
    """Show the options in an order that goes with the epoch; put it before `multiple_choice()`.

    `Task(data, solver=[ordered_choices(), multiple_choice()], scorer=choice(), epochs=4)` shows each
    option of four at each place once. The scorer of inspect_ai knows which option was meant.

    Args:
        balance: as in `answer_orders`; the epochs are the number of orders, or a multiple of it
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        orders = answer_orders(len(state.choices), balance)
        state.choices.shuffle(_Chosen(orders[(state.epoch - 1) % len(orders)].tolist()))
        return state

    return solve
