"""The 10-seed experiment next to a plain PyTorch one: autograd over all 720 x 128 rows at each step.

The plain one is timed on a few steps of every method and a few evaluations of one seed, and scaled up
to 500 steps, 21 evaluations and 10 seeds; it would take more than an hour.
"""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Callable

import numpy as np
import torch
from rich.console import Console

from studies.paper import Config, Problem, reproduce

CONSOLE = Console(highlight=False, soft_wrap=True)
STEPS = 2  # of each method, and evaluations


class Plain:
    """The experiment as one would write it with PyTorch: transformed rows, features, autograd."""

    def __init__(self, given: Problem) -> None:
        self.config = given.config
        replay = given.replay()
        self.x, self.x_test = (torch.tensor(replay[name]) for name in ("x_train", "x_test"))
        self.z = torch.tensor(np.array(replay["centers"]))
        self.all = torch.tensor(list(itertools.permutations(range(given.config.group_size))))
        self.rows = {
            "none": self.all[:1],
            "full": self.all,
            "streaming": torch.tensor(replay["streaming"][:1]),
            **{f"one-shot-{m}": torch.tensor(replay[f"one_shot_{m}"]) for m in (4, 16, 64)},
        }
        self.theta = torch.tensor(given.start, requires_grad=True)

    def loss(self, x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        moved = x[:, torch.argsort(rows, dim=1)].reshape(-1, x.shape[1])
        phi = torch.exp(-(torch.cdist(moved, self.z) ** 2) / (2 * self.config.sigma**2))
        a, b = self.theta.chunk(2)
        return ((phi @ (a * b) - moved.sum(dim=1)) ** 2).mean() / 2

    def step(self, method: str) -> None:
        loss = self.loss(self.x, self.rows[method])
        (gradient,) = torch.autograd.grad(loss, self.theta)
        with torch.no_grad():
            self.theta -= self.config.step_size * gradient
            self.theta.clamp_(-self.config.box, self.config.box)

    def evaluate(self) -> None:
        torch.autograd.grad(self.loss(self.x, self.all), self.theta)
        with torch.no_grad():
            self.loss(self.x_test, self.all)
            self.loss(self.x_test, self.all[:1])


def main() -> None:
    config = Config()
    torch.set_num_threads(2)  # what the processes of the other side have together
    plain = Plain(Problem(config, seed=0))
    before = {method: _seconds(lambda m=method: plain.step(m)) for method in config.methods}  # type: ignore[misc]
    evaluation = _seconds(plain.evaluate)
    with tempfile.TemporaryDirectory() as folder:
        done = reproduce(config, folder, jobs=2)
    evaluations = len(done.results["full"]["step"]) * len(config.methods)
    one_seed = config.num_steps * sum(before.values()) + evaluations * evaluation
    theirs = config.seeds * one_seed
    CONSOLE.print(
        f"Ten seeds, six methods, {config.num_steps} steps, evaluated over all of S6, 2 processes:\n"
        f"  sparseaug reproduce        {done.seconds:8.1f} s (certificates, which the other does not "
        f"have: {done.certificate_seconds:.1f} s more)\n"
        f"  plain PyTorch, 2 threads   {theirs:8.1f} s, from {STEPS} steps of each method: "
        f"{before['full']:.2f} s a full step, {evaluation:.2f} s an evaluation\n"
        f"  ratio                      {theirs / done.seconds:8.0f}"
    )


def _seconds(work: Callable[[], object]) -> float:
    work()  # warm up
    started = time.perf_counter()
    for _ in range(STEPS):
        work()
    return (time.perf_counter() - started) / STEPS


if __name__ == "__main__":
    main()
