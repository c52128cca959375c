"""Sets of rotations with symmetry on both sides: unions of double cosets K t H.

The mean of Wigner's D^l over K t H is Q Q' D^l(t) P P', with P and Q orthonormal bases of the vectors
that H and K fix: a matrix of fix_l(K) x fix_l(H) real numbers Q' D^l(t) P. A union is exact to degree L
when their sum, weighted by the sizes of the double cosets, is 0 for l = 1 to L. A t has three
coordinates; where t turns an axis of H into one of K (of orders a, b; n = gcd(a, b) > 1) the double
coset has n times fewer elements and one coordinate, the angle about the axis; where two axes meet, it is
a single point.

A twist is a further symmetry t -> a t b^-1 of order d (up to K and H), a and b in the normalisers of K
and H: it moves the double cosets in cycles of d, and about a d-th part of the equations is left.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

DIGITS = 40
"""Of precise numbers: rows are written with 20."""


def product(a: Array, b: Array) -> Array:
    """Products of quaternions, over broadcast leading axes."""
    w, x, y, z = np.moveaxis(np.asarray(a), -1, 0)
    s, t, u, v = np.moveaxis(np.asarray(b), -1, 0)
    parts = (
        w * s - x * t - y * u - z * v,
        w * t + x * s + y * v - z * u,
        w * u - x * v + y * s + z * t,
        w * v + x * u - y * t + z * s,
    )
    return np.stack(parts, axis=-1)


def inverse(a: Array) -> Array:
    """Of a unit quaternion."""
    return a * np.array([1, -1, -1, -1])


def turn(axis: Array, angle: Array | float) -> Array:
    """The rotation about a unit axis."""
    half = np.asarray(angle)[..., None] / 2
    return np.concatenate([np.cos(half), np.sin(half) * axis], axis=-1)


def small_turn(step: Array) -> Array:
    """The rotation by the vector `step`, an axis times an angle."""
    half = np.linalg.norm(step, axis=-1, keepdims=True) / 2
    return np.concatenate([np.cos(half), np.sinc(half / np.pi) * step / 2], axis=-1)


@cache
def precise_group(name: str) -> Array:
    """A finite group of rotations: C1, C2, ..., V4, D3, ..., T, O, I; in numbers of mpmath."""
    with mp.workdps(DIGITS):
        n = int(name[1:] or 1)
        zero, half, golden = mp.mpf(0), mp.mpf(1) / 2, (1 + mp.sqrt(5)) / 2
        corner, x = [half] * 4, [zero, mp.mpf(1), zero, zero]
        z = [mp.cospi(half * 2 / n), zero, zero, mp.sinpi(half * 2 / n)]
        generators_ = {
            "C": [z],
            "D": [z, x],
            "V": [[zero, zero, zero, mp.mpf(1)], x],
            "T": [x, corner],
            "O": [[mp.sqrt(half), mp.sqrt(half), zero, zero], corner],
            "I": [corner, [golden / 2, half, half / golden, zero]],
        }[name[0]]
        found = [np.array([mp.mpf(1), zero, zero, zero])]
        for q in found:  # which grows
            for g in generators_:
                new = product(q, np.array(g))
                if max(abs(np.dot(new, old)) for old in found) < 0.9999:
                    found.append(new)
        return np.array(found)


@cache
def group(name: str) -> Array:
    """The same in floats."""
    return precise_group(name).astype(np.float64)


def axes(name: str) -> list[tuple[Array, int]]:
    """Directed axes of a group, one for each class under the group, with their orders."""
    found: list[tuple[Array, int]] = []
    for q in group(name)[1:]:
        u = q[1:] / np.linalg.norm(q[1:])
        for v in (u, -u):
            if not any(_same_axis(name, v, w) for w, _ in found):
                found.append((v, _order(name, v)))
    return found


def _order(name: str, v: Array) -> int:
    parallel = np.linalg.norm(np.cross(group(name)[:, 1:], v), axis=1) < 1e-9
    return int(parallel.sum())


def rotated(q: Array, v: Array) -> Array:
    """The vector after the rotation."""
    pure = np.concatenate([np.zeros((*v.shape[:-1], 1)), v], axis=-1)
    return product(product(q, pure), inverse(q))[..., 1:]


def _same_axis(name: str, v: Array, w: Array) -> bool:
    return bool((rotated(group(name), v) @ w > 1 - 1e-9).any())


def _onto(v: Array, w: Array) -> Array:
    """A rotation that takes v to w."""
    if np.dot(v, w) < -1 + 1e-9:
        side = np.cross(v, [1.0, 0, 0] if abs(v[0]) < 0.9 else [0, 1.0, 0])
        return turn(side / np.linalg.norm(side), np.pi)
    q = np.array([1 + np.dot(v, w), *np.cross(v, w)])
    return q / np.linalg.norm(q)


@dataclass(frozen=True)
class Kind:
    """A family of double cosets: elements in each, free coordinates, a start, the axis of turning."""

    size: int
    free: int
    start: Array
    axis: Array


@cache
def kinds(left: str, right: str) -> tuple[Kind, ...]:
    """The families of double cosets of two groups: free ones, those on axes, single ones."""
    K, H = group(left), group(right)
    none = np.zeros(3)
    whole = Kind(len(K) * len(H), 3, np.array([1.0, 0, 0, 0]), none)
    lines: list[Kind] = []
    points: list[Kind] = []
    seen: list[tuple[Array, Array]] = []
    for u, a in axes(left):
        for v, b in axes(right):
            n = math.gcd(a, b)
            if n == 1 or any(_same_axis(left, -u, w) and _same_axis(right, -v, s) for w, s in seen):
                continue
            seen.append((u, v))
            base = _onto(v, u)
            lines.append(Kind(whole.size // n, 1, base, v))
            for t in _meetings(K, H, base, u):
                size = whole.size // _stabiliser(K, H, t)
                if size < whole.size // n and not any(
                    _same_coset(K, H, t, p.start) for p in points
                ):
                    points.append(Kind(size, 0, t, none))
    return (whole, *sorted(lines, key=lambda k: k.size), *sorted(points, key=lambda k: k.size))


def _meetings(K: Array, H: Array, base: Array, u: Array) -> list[Array]:
    """The rotations about u, after `base`, that bring a second axis of H onto one of K."""
    targets = _all_axes(K)
    found = []
    for v in rotated(base, _all_axes(H)):
        for w in targets:
            if abs(v @ u) < 1 - 1e-9 and abs(v @ u - w @ u) < 1e-9:
                p, q = v - (v @ u) * u, w - (w @ u) * u
                angle = math.atan2(np.cross(p, q) @ u, p @ q)
                found.append(product(turn(u, angle), base))
    return found


def _all_axes(H: Array) -> Array:
    half = H[1:, 1:] / np.linalg.norm(H[1:, 1:], axis=1, keepdims=True) if len(H) > 1 else H[1:, 1:]
    return np.concatenate([half, -half])


def _stabiliser(K: Array, H: Array, t: Array) -> int:
    moved = product(product(inverse(t), K), t)
    return int((abs(moved @ H.T) > 1 - 1e-9).sum())


def _same_coset(K: Array, H: Array, t: Array, s: Array) -> bool:
    moved = product(product(K, t)[:, None], H[None])
    return bool((abs(moved @ s) > 1 - 1e-9).any())


def expanded(left: str, right: str, t: Array) -> Array:
    """The distinct elements of K t H, as quaternions with a sign fixed."""
    moved = product(product(group(left), t)[:, None], group(right)[None]).reshape(-1, 4)
    kept: list[Array] = []
    for q in moved:
        if not kept or (abs(np.array(kept) @ q)).max() < 1 - 1e-12:
            kept.append(q)
    return np.array(kept)


def fixed_counts(elements: Array, degree: int) -> Array:
    """The means of the characters of degrees 1 to `degree`: of a group, how many vectors it fixes."""
    half = np.arccos(np.clip(abs(elements[:, 0]), 0, 1))
    found = []
    for ell in range(1, degree + 1):
        with np.errstate(divide="ignore", invalid="ignore"):
            chi = np.sin((2 * ell + 1) * half) / np.sin(half)
        found.append(np.where(half < 1e-7, 2 * ell + 1, chi).mean())
    return np.array(found)


def generators(degree: int) -> tuple[Array, Array, Array]:
    """J_x, J_y, J_z of D^l in the basis m = l, ..., -l."""
    m = np.arange(degree, -degree - 1, -1.0)
    raising = np.diag(np.sqrt(degree * (degree + 1) - m[1:] * (m[1:] + 1)), 1)
    return (raising + raising.T) / 2, (raising - raising.T) / 2j, np.diag(m)


@cache
def _tilt(degree: int) -> Array:
    """The eigenvectors of J_y, of eigenvalues l, ..., -l."""
    return np.linalg.eigh(generators(degree)[1])[1][:, ::-1]


def angles(t: Array) -> tuple[Array, Array, Array]:
    """Euler's angles of t = z(alpha) y(beta) z(gamma)."""
    w, x, y, z = np.moveaxis(t, -1, 0)
    total, apart = 2 * np.arctan2(z, w), 2 * np.arctan2(-x, y)
    return (total + apart) / 2, 2 * np.arctan2(np.hypot(x, y), np.hypot(w, z)), (total - apart) / 2


def wigner_after(rows: Array, t: Array, degree: int) -> Array:
    """rows D^l(t), for (..., 4) quaternions."""
    alpha, beta, gamma = (np.exp(-1j * np.multiply.outer(a, _weights(degree))) for a in angles(t))
    W = _tilt(degree)
    X = ((rows * alpha[..., None, :]) @ W) * beta[..., None, :]
    return (X @ W.conj().T) * gamma[..., None, :]


def _weights(degree: int) -> Array:
    return np.arange(degree, -degree - 1, -1)


@cache
def fixed(name: str, degree: int) -> Array:
    """An orthonormal basis (2l+1, fix) of the vectors that the group fixes, on which D^l is real."""
    size = 2 * degree + 1
    mean = wigner_after(np.eye(size), group(name), degree).mean(axis=0)
    U = np.zeros((size, size), complex)
    U[degree, degree] = 1
    for m in range(1, degree + 1):
        sign = (-1) ** m
        U[degree - m, degree - m], U[degree + m, degree - m] = sign, 1
        U[degree - m, degree + m], U[degree + m, degree + m] = 1j * sign, -1j
    U /= np.linalg.norm(U, axis=0)
    values, vectors = np.linalg.eigh((U.conj().T @ mean @ U).real)
    return U @ vectors[:, values > 0.5]


@dataclass(frozen=True)
class Twist:
    """A symmetry t -> a t b^-1: a extends K as `left` says, b extends H, and is taken to a power."""

    left: str
    right: str
    order: int
    power: int = 1

    def images(self, names: tuple[str, str], t: Array) -> Array:
        """t, a t b^-1, a^2 t b^-2, ..., (order, ...), precise where t is."""
        a, b = self.pair(names)
        if t.dtype != object:
            a, b = a.astype(np.float64), b.astype(np.float64)
        found = [t]
        while len(found) < self.order:
            found.append(product(product(a, found[-1]), inverse(b)))
        return np.stack(found)

    def pair(self, names: tuple[str, str]) -> tuple[Array, Array]:
        """a and b, precise."""
        with mp.workdps(DIGITS):
            a, b = (
                extension(name, kind, self.order)
                for name, kind in zip(names, (self.left, self.right), strict=True)
            )
            whole = b
            for _ in range(self.power - 1):
                whole = product(whole, b)
            return a, whole


def extension(name: str, kind: str, order: int) -> Array:
    """An element that maps a group to itself: z a smaller turn, x a half turn across, T and O."""
    zero, half = mp.mpf(0), mp.mpf(1) / 2
    part = mp.mpf(2 if name == "V4" else int(name[1:] or 1)) * order
    found = {
        "z": [mp.cospi(1 / part), zero, zero, mp.sinpi(1 / part)],
        "x": [zero, mp.mpf(1), zero, zero],
        "T": [half] * 4,
        "O": [mp.sqrt(half), mp.sqrt(half), zero, zero],
    }
    return np.array(found[kind])


class System:
    """The equations of a union of double cosets: sum_i size_i sqrt(2l+1) Q' D^l(t_i) P / m = 0.

    With a twist, each coset that is chosen stands for all its images, which follow it in the array of t.
    """

    def __init__(
        self, left: str, right: str, degree: int, which: Sequence[int], twist: Twist | None = None
    ) -> None:
        self.left, self.right, self.degree, self.which = left, right, degree, list(which)
        self.twist = twist
        self.copies = twist.order if twist else 1
        self.chosen = chosen = [kinds(left, right)[i] for i in which] * self.copies
        self.sizes = np.array([kind.size for kind in chosen])
        self.m = int(self.sizes.sum())
        self.parts = []
        for ell in range(1, degree + 1):
            Q, P = fixed(left, ell), fixed(right, ell)
            if Q.size and P.size:
                turned = [-1j * J @ P for J in generators(ell)]
                self.parts.append((ell, Q.conj().T, np.concatenate([P, *turned], axis=1)))
        axes_ = []
        for i, kind in enumerate(chosen):
            rows = (
                np.eye(3) if kind.free == 3 else kind.axis[None] if kind.free else np.zeros((0, 3))
            )
            axes_ += [(i, row) for row in rows]
        self.owner = np.array([i for i, _ in axes_], int)
        self.direction = np.array([row for _, row in axes_]).reshape(-1, 3)
        if twist:  # a t exp(s) b^-1 = (a t b^-1) exp(b s)
            b = twist.pair((left, right))[1].astype(np.float64)
            count = len(self.direction) // self.copies
            for copy in range(1, self.copies):
                before = self.direction[(copy - 1) * count : copy * count]
                self.direction[copy * count : (copy + 1) * count] = rotated(b, before)

    def start(self, count: int, rng: np.random.Generator) -> Array:
        """Random members of the families, (count, cosets, 4)."""
        found = np.empty((count, len(self.chosen), 4))
        for i, kind in enumerate(self.chosen):
            if kind.free == 3:
                q = rng.normal(size=(count, 4))
                found[:, i] = q / np.linalg.norm(q, axis=1, keepdims=True)
            elif kind.free == 1:
                found[:, i] = product(kind.start, turn(kind.axis, rng.uniform(0, 2 * np.pi, count)))
            else:
                found[:, i] = kind.start
        return self.with_images(found)

    def with_images(self, t: Array) -> Array:
        """The first of the cosets, over the last axis but one, and their images."""
        if not self.twist:
            return t
        first = t[..., : len(self.which), :]
        images = self.twist.images((self.left, self.right), first)
        return np.concatenate(list(images), axis=-2)

    def values(self, t: Array) -> tuple[Array, Array]:
        """Residuals (count, equations) and their derivatives (count, equations, unknowns)."""
        residuals, slopes = [], []
        for ell, Q, PL in self.parts:
            X = (wigner_after(Q, t, ell) @ PL).real * math.sqrt(2 * ell + 1)
            X = X.reshape(*X.shape[:-1], 4, -1) * self.sizes[:, None, None, None] / self.m
            X = np.moveaxis(X, -2, 2).reshape(*t.shape[:2], 4, -1)
            residuals.append(X[:, :, 0].sum(axis=1))
            every = np.einsum("cuxe,ux->ceu", X[:, self.owner, 1:], self.direction)
            slopes.append(every.reshape(*every.shape[:2], self.copies, -1).sum(axis=2))
        return np.concatenate(residuals, axis=1), np.concatenate(slopes, axis=1)

    def moved(self, t: Array, step: Array) -> Array:
        """t_i exp(step), along the free directions."""
        steps = np.zeros((*t.shape[:2], 3))
        step = np.tile(step, self.copies)
        for u, (i, row) in enumerate(zip(self.owner, self.direction, strict=True)):
            steps[:, i] += step[:, u, None] * row
        q = product(t, small_turn(steps))
        return q / np.linalg.norm(q, axis=-1, keepdims=True)

    def solve(self, t: Array, *, rounds: int = 60, end: float = math.inf) -> tuple[Array, Array]:
        """Levenberg and Marquardt from many starts at once: where they end, and the residuals there."""
        damping = np.full(len(t), 1e-2)
        r, J = self.values(t)
        cost = (r * r).sum(axis=1)
        for _ in range(rounds):
            if cost.min() < 1e-26 or time.monotonic() > end:
                break
            A = np.einsum("ceu,cev->cuv", J, J)
            A += damping[:, None, None] * np.eye(A.shape[1])  # gauge directions have no slope
            step = -np.linalg.solve(A, np.einsum("ceu,ce->cu", J, r)[..., None])[..., 0]
            new = self.moved(t, step)
            r_new, J_new = self.values(new)
            cost_new = (r_new * r_new).sum(axis=1)
            good = cost_new < cost
            t, r, J = (
                np.where(good.reshape(-1, *[1] * (a.ndim - 1)), b, a)
                for a, b in ((t, new), (r, r_new), (J, J_new))
            )
            cost = np.where(good, cost_new, cost)
            damping = np.clip(np.where(good, damping / 5, damping * 4), 1e-13, 1e3)
        return t, np.sqrt(cost)
