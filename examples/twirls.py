"""Pauli twirls of 16 noisy CZ gates on 4 qubits: frames from an orthogonal array, not random ones.

    python examples/twirls.py

A CZ has a coherent error exp(-i angle H / 2). A frame, one of 16 pairs of Paulis around it, turns H into
P H P; the mean over all 16^16 circuits is a Pauli channel. Shown is how far the mean over a few is
from it (trace distance of the Choi states), and the error of one probability from 4,096 shots in all.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sparseaug as sa

PAULIS = [np.eye(2), np.eye(2)[::-1], np.array([[0, -1j], [1j, 0]]), np.diag([1, -1])]
PAIRS = np.array([np.kron(a, b) for a, b in product(PAULIS, PAULIS)])
GATES = [(k % 4, (k + 1) % 4) for k in range(16)]
EVERY = np.random.default_rng(7).normal(size=15)
SHOTS = 4096  # of all circuits together
ERRORS = {"too much ZZ": np.eye(15)[-1], "any direction": EVERY / np.linalg.norm(EVERY)}


def on_register(gate: NDArray[Any], pair: tuple[int, int]) -> NDArray[Any]:
    """A gate of two qubits as a matrix of all four."""
    places = np.argsort([*pair, *({0, 1, 2, 3} - set(pair))])
    whole = np.kron(gate, np.eye(4)).reshape((2,) * 8)
    return whole.transpose(*places, *(places + 4)).reshape(16, 16)


def layers(angle: float, error: NDArray[Any]) -> list[NDArray[Any]]:
    """For each gate the 16 matrices, one per frame: single-qubit gates, CZ, the error in its frame."""
    rng = np.random.default_rng(1)
    w, v = np.linalg.eigh(np.tensordot(error, PAIRS[1:], axes=1))
    noise = (v * np.exp(-0.5j * angle * w)) @ v.conj().T
    found = []
    for pair in GATES:
        single = np.eye(1)
        for _ in range(4):
            single = np.kron(single, np.linalg.qr(rng.normal(size=(2, 2, 2)) @ [1, 1j])[0])
        ideal = on_register(np.diag([1, 1, 1, -1]), pair) @ single
        found.append(np.array([on_register(p @ noise @ p, pair) @ ideal for p in PAIRS]))
    return found


def main() -> None:
    """Random frames, each gate balanced by itself, and the array: what they leave, and with shots."""
    whole = sa.design(sa.abelian(*(16,) * 17), degree=2).elements  # any two columns: all 256 pairs
    array = whole[np.argsort(whole[:, 0], kind="stable"), 1:]  # the first 16: all frames
    for angle, (name, error) in product((0.05, 0.2), ERRORS.items()):
        gates = layers(angle, error)
        means = [np.mean([np.kron(V, V.conj()) for V in gate], axis=0) for gate in reversed(gates)]
        channel = np.linalg.multi_dot(means).reshape(16, 16, 16, 16)
        exact = channel.swapaxes(1, 2).reshape(256, 256) / 16
        for kind, m in (*product(("random", "balanced", "designed"), (16, 256)), ("random", 128)):
            left, shot = [], []
            for seed in range(8):
                rng = np.random.default_rng(seed)
                frames = rng.integers(16, size=(m, 16))
                if kind != "random":
                    even = rng.permuted(np.tile(np.arange(m) % 16, (16, 1)), axis=1).T
                    frames = even if kind == "balanced" else array[:m] ^ frames[0]
                U = np.eye(16)
                for k, gate in enumerate(gates):
                    U = gate[frames[:, k]] @ U
                mean = U.reshape(m, 256).T @ U.reshape(m, 256).conj() / (16 * m)
                left.append(np.abs(np.linalg.eigvalsh(mean - exact)).sum() / 2)
                up = (np.abs(U[:, ::2, 0]) ** 2).sum(axis=1)  # of the last qubit, measured
                hits = rng.binomial(SHOTS // m, up, (500, m)).sum(axis=1) / SHOTS
                shot.append(hits - channel[::2, ::2, 0, 0].trace().real)
            print(f"{angle} {name}, {m} {kind:9} {np.mean(left):8.3%}")
            print(f"{angle} {name}, {m} {kind}, shots {np.sqrt(np.mean(np.square(shot))):8.3%}")


if __name__ == "__main__":
    main()
