"""Keyed randomness: a generator is a function of (seed, purpose, step, index) and holds no history.

Philox is counter-based: its key is (seed, purpose), its counter starts at (0, index, step, 0). So
streams of different keys never meet, and a worker, a rank or a resumed run finds its own by name.
"""

from __future__ import annotations

import hashlib

import numpy as np

from sparseaug._checks import check_integer, check_text

_WORD = 1 << 64


def keyed_rng(seed: int, purpose: str, *, step: int = 0, index: int = 0) -> np.random.Generator:
    """The generator for this key; the same on every machine and in every process.

    Args:
        seed: an integer below 2^64
        purpose: what the numbers are for; different purposes are independent
        step: an integer below 2^64
        index: an integer below 2^64

    Examples:
        >>> from sparseaug.sampling import keyed_rng
        >>> keyed_rng(0, "example").integers(1000, size=3)
        array([337,  21, 415])
    """
    key = [check_integer("seed", seed, below=_WORD), _word_of(purpose)]
    step = check_integer("step", step, below=_WORD)
    index = check_integer("index", index, below=_WORD)
    words = np.array([0, index, step, 0], np.uint64)
    return np.random.Generator(np.random.Philox(key=np.array(key, np.uint64), counter=words))


def _word_of(purpose: str) -> int:
    data = check_text("purpose", purpose).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "little")
