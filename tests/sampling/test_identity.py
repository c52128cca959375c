"""What tells one run from another: different things differ, the same is the same in a new process."""

from __future__ import annotations

import operator
import os
import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from sparseaug.sampling.identity import fingerprint

A, B = np.eye(2), 2 * np.eye(2)


class Slots:
    __slots__ = ("scale",)

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return self.scale * x


def closing_over(value):
    return lambda x: (x, value)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x: x in {1, 2}, lambda x: x in {3, 4}),
        (lambda x: x * 1j, lambda x: x * 2j),
        (lambda x: x + b"a", lambda x: x + b"b"),
        (closing_over(SimpleNamespace(w=A)), closing_over(SimpleNamespace(w=B))),
        (closing_over([SimpleNamespace(w=A)]), closing_over([SimpleNamespace(w=B)])),
        (closing_over(np.array(["a"], object)), closing_over(np.array(["b"], object))),
        (closing_over(10**400), closing_over(10**400 + 1)),
        (closing_over({1: A}), closing_over({"1": A})),
        (Slots(1.0), Slots(2.0)),
        (A.dot, B.dot),
        (operator.itemgetter(0), operator.itemgetter(1)),
        (partial(np.dot, A), partial(np.dot, B)),
    ],
)
def test_what_a_function_depends_on_is_in_its_fingerprint(one, other):
    assert fingerprint(one) == fingerprint(one)
    assert fingerprint(one) != fingerprint(other)


def test_settings_of_layers_and_losses_are_in_their_fingerprint():
    torch = pytest.importorskip("torch")

    class Focal(torch.nn.Module):
        def __init__(self, gamma):
            super().__init__()
            self.gamma = gamma

    pairs = [
        (torch.nn.HuberLoss(delta=1.0), torch.nn.HuberLoss(delta=2.0)),
        (torch.nn.MSELoss(reduction="mean"), torch.nn.MSELoss(reduction="none")),
        (torch.nn.Sequential(Focal(1.0)), torch.nn.Sequential(Focal(2.0))),
        (Focal(lambda p: p), Focal(lambda p: p**2)),
        (closing_over(torch.float32), closing_over(torch.float64)),
    ]
    assert all(fingerprint(one) != fingerprint(other) for one, other in pairs)
    module = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())
    assert fingerprint(module.train()) == fingerprint(module.eval())


def test_a_fingerprint_is_the_same_in_a_new_process():
    code = """
from types import SimpleNamespace
import numpy as np
from sparseaug.sampling.identity import fingerprint
own = SimpleNamespace(names={"a", "b", "c"}, rng=np.random.mtrand._rand, by={int: 1, (1, 2): 2})
own.itself = own
print(fingerprint(lambda x: (own, x in {"x", "y", "z"})))
"""
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
