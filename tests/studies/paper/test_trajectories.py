"""The experiment next to a plain reference that knows the replay files and the paper, nothing else."""

from __future__ import annotations

import json
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from safetensors.numpy import load_file

from studies.paper import Config, Problem, reproduce

SMALL = Config(train=10, test=8, centers=12, num_steps=20, eval_every=10, seeds=2)
COLUMNS = ("train_risk", "test_risk", "gradient_norm", "identity_test_risk")


class Reference:
    """One seed by loops over permutations: features of each, no moments, no library."""

    def __init__(self, replay, config):
        self.replay, self.config = replay, config
        self.x, self.x_test, self.z = replay["x_train"], replay["x_test"], replay["centers"]
        self.y, self.y_test = self.x.sum(axis=1), self.x_test.sum(axis=1)
        self.everything = list(permutations(range(config.group_size)))
        self.on_train = {g: self.features(g, self.x) for g in self.everything}
        self.on_test = {g: self.features(g, self.x_test) for g in self.everything}

    def features(self, g, x):
        moved = np.empty_like(x)
        for i, image in enumerate(g):
            moved[:, image] = x[:, i]  # (g.x)[g(i)] = x[i]
        square = ((moved[:, None, :] - self.z[None, :, :]) ** 2).sum(axis=2)
        return np.exp(-square / (2 * self.config.sigma**2))

    def gradient(self, elements, a, b):
        total = np.zeros((2, len(a)))
        for g in elements:
            phi = self.on_train[g]
            residual = phi @ (a * b) - self.y
            for row, other in enumerate((b, a)):
                total[row] += other * (phi.T @ residual) / len(self.y)
        return total / len(elements)

    def risk(self, features, y, elements, a, b):
        losses = [np.mean((features[g] @ (a * b) - y) ** 2) / 2 for g in elements]
        return np.mean(losses)

    def elements(self, method, step):
        rows = {"none": [range(self.config.group_size)], "full": self.everything}.get(method)
        if rows is None and method == "streaming":
            batch = self.config.streaming_batch
            rows = self.replay["streaming"][step * batch : (step + 1) * batch]
        elif rows is None:
            rows = self.replay[method.replace("-", "_")]
        return [tuple(int(i) for i in row) for row in rows]

    def run(self, method):
        a, b = self.replay["a0"], self.replay["b0"]
        found, self.clipped = [], 0
        for step in range(self.config.num_steps + 1):
            if step % self.config.eval_every == 0 or step == self.config.num_steps:
                found.append(self.evaluate(a, b))
            if step < self.config.num_steps:
                by_a, by_b = self.gradient(self.elements(method, step), a, b)
                edge = self.config.box
                a, b = a - self.config.step_size * by_a, b - self.config.step_size * by_b
                self.clipped += np.count_nonzero(abs(np.concatenate([a, b])) > edge)
                a, b = np.clip(a, -edge, edge), np.clip(b, -edge, edge)
        return np.array(found).T

    def evaluate(self, a, b):
        identity = [self.everything[0]]
        return (
            self.risk(self.on_train, self.y, self.everything, a, b),
            self.risk(self.on_test, self.y_test, self.everything, a, b),
            np.linalg.norm(self.gradient(self.everything, a, b)),
            self.risk(self.on_test, self.y_test, identity, a, b),
        )


def require_the_reference(config, folder):
    reproduce(config, folder, jobs=1)
    results = json.loads((folder / "results.json").read_text())
    for seed in range(config.seeds):
        reference = Reference(load_file(folder / "replay" / f"seed-{seed}.safetensors"), config)
        for method in config.methods:
            expected = reference.run(method)
            assert results[method]["clipped"][seed] == reference.clipped
            for name, values in zip(COLUMNS, expected, strict=True):
                found = results[method][name][seed]
                np.testing.assert_allclose(found, values, rtol=1e-9, err_msg=f"{method} {name}")


def test_trajectories_equal_loops_over_all_720_permutations(tmp_path):
    require_the_reference(SMALL, tmp_path)


def test_trajectories_with_other_sizes_batches_and_a_box_that_binds(tmp_path):
    config = Config(
        group_size=4,
        train=7,
        test=5,
        centers=9,
        num_steps=23,
        eval_every=5,
        sample_sizes=(1, 5),
        streaming_batch=3,
        box=0.6,
        init_std=1.0,
        seeds=2,
    )
    require_the_reference(config, tmp_path)
    none = json.loads((tmp_path / "results.json").read_text())["none"]
    assert none["step"] == [0, 5, 10, 15, 20, 23]
    assert min(none["clipped"]) > 0


@pytest.mark.slow
def test_trajectories_of_the_paper_s_experiment_for_two_seeds(tmp_path):
    require_the_reference(Config(seeds=2), tmp_path)


def test_the_full_gradient_is_that_of_torch_autograd():
    torch = pytest.importorskip("torch")
    given = Problem(Config(), seed=0)
    x, y = given.train
    moved = np.concatenate([x[:, list(g)] for g in permutations(range(6))])
    theta = torch.tensor(given.start, requires_grad=True)
    distances = torch.cdist(
        torch.tensor(moved),
        torch.tensor(np.array(given.model.centers)),
        compute_mode="donot_use_mm_for_euclid_dist",
    )
    phi = torch.exp(-(distances**2) / (2 * 1.25**2))
    residual = phi @ (theta[:160] * theta[160:]) - torch.tensor(np.tile(y, factorial(6)))
    (residual**2).mean().div(2).backward()
    found = given.full_risk(given.train).gradient(given.start)
    np.testing.assert_allclose(found, theta.grad.numpy(), rtol=0, atol=1e-10)


def test_closed_form_and_enumeration_give_one_risk(monkeypatch):
    given = Problem(Config(group_size=4, train=6, centers=5), seed=3)
    enumerated = given.full_risk(given.train)
    monkeypatch.setattr("studies.paper.problem.ENUMERATED", 1)
    closed = given.full_risk(given.train)
    assert (enumerated.calls, closed.calls) == (0, 0)
    np.testing.assert_allclose(
        enumerated.gradient(given.start), closed.gradient(given.start), rtol=1e-11
    )
