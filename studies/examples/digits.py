"""Handwritten digits under periodic shifts: what do oracle calls buy, and for which learner?

Training images stand where they were written; test images are shifted, each by a uniformly random
one of the 64 shifts of an 8x8 image. Three learners are trained with no augmentation, with one S of
4, 16, 32 or 64 drawn shifts, with as many of each image's own (drawn once), with lattices of 16 and 32
shifts (32 are a checkerboard), with all 64, and (the network alone can) with fresh shifts while it
learns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.svm import SVC
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.sklearn import OneShotClassifier
from studies.examples.study import Column, Row, Study, options, run_seeds, timed

GROUP = sa.abelian(8, 8)
SHIFT = sa.roll(GROUP, axes=(-2, -1))
NONE = sa.GroupSample(GROUP, GROUP.identity())
FULL = sa.GroupSample(GROUP, GROUP.all_elements(), calls=GROUP.order)
BATCH = 50

COLUMNS = (
    Column("accuracy", "accuracy, %", scale=100, digits=1),
    Column("invariance_error", "changed, %", scale=100, digits=1),
    Column("calls", "calls", digits=0),
    Column("deviation", "deviation", digits=2),
    Column("training", "train, s", digits=2, spread=False),
    Column("prediction", "predict, ms", scale=1000, digits=2, spread=False),
)

Array = NDArray[Any]
Copies = sa.GroupSample | sa.SampleTable
Predict = Callable[[Array], Array]
Batches = Iterator[tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Settings:
    """How large the study is; every way of training a network takes the same number of steps."""

    train: int = 150
    test: int = 300
    sizes: tuple[int, ...] = (4, 16, 32, 64)
    lattices: tuple[int, ...] = (16, 32)
    steps: int = 600
    trees: int = 100

    @property
    def own(self) -> tuple[int, ...]:
        """Copies of each image's own: all shifts are the same for all."""
        return tuple(m for m in self.sizes if m < GROUP.order)

    @property
    def rows(self) -> int:
        """Rows of one seed: none, two of each S, three of a lattice, by learner; then streaming."""
        fixed = 5 + 2 * (len(self.sizes) + len(self.own)) + 3 * len(self.lattices)
        return 3 * fixed + 4 + len(self.sizes)


QUICK = Settings(train=100, test=300, sizes=(16,), lattices=(16,), steps=160, trees=30)


class Data(NamedTuple):
    """One seed's images (n, 8, 8) with values in [0, 1], and their digits."""

    x_train: Array
    y_train: Array
    x_test: Array  # as written
    x_shifted: Array  # each shifted by its own random shift
    y_test: Array


def load(settings: Settings, seed: int) -> Data:
    """Choose training and test images, and shift the latter with NumPy alone."""
    images, digits = load_digits(return_X_y=True)
    images = images.reshape(-1, 8, 8) / 16
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(images))[: settings.train + settings.test]
    train, test = chosen[: settings.train], chosen[settings.train :]
    shifts = rng.integers(8, size=(settings.test, 2))
    shifted = [np.roll(image, by, (0, 1)) for image, by in zip(images[test], shifts, strict=True)]
    return Data(images[train], digits[train], images[test], np.stack(shifted), digits[test])


def one_seed(settings: Settings, seed: int) -> Iterator[Row]:
    """Every learner in every way; subset, shifts, S and initialisation all come from the seed."""
    torch.set_num_threads(1)
    data = load(settings, seed)
    samples = all_samples(settings, seed)
    forest = RandomForestClassifier(settings.trees, random_state=seed)
    yield from fixed_learner("SVM", SVC(C=10), samples, data, seed)
    yield from fixed_learner("random forest", forest, samples, data, seed)
    yield from network(samples, data, settings, seed)


def all_samples(settings: Settings, seed: int) -> dict[str, Copies]:
    """What moves the training images: one S of draws, the identity and 15 draws, a lattice (no calls,
    the identity in it) or all; or m of each image's own, drawn without repeats."""

    def oracle() -> sa.Oracle:
        return sa.Oracle(GROUP, seed=seed)

    samples: dict[str, Copies] = {"none": NONE}
    samples |= {f"one-shot {m}": oracle().draw(m) for m in settings.sizes}
    samples["one-shot 16, identity"] = oracle().draw(16, identity=True)
    lattices = {m: sa.design(GROUP, m=m, name="lattice") for m in settings.lattices}
    samples |= {f"lattice {m}": S for m, S in lattices.items()}
    for m in settings.own:
        samples[f"own {m}"] = sa.SampleTable.draws(oracle(), settings.train, m, distinct=True)
    return samples | {"full": FULL}


def fixed_learner(
    name: str, estimator: Any, samples: dict[str, Copies], data: Data, seed: int
) -> Iterator[Row]:
    """A learner that wants all its data at once, alone and averaged over S when it predicts."""
    measured = partial(measure, data=data, learner=name, seed=seed)
    for way, S in samples.items():
        own = {"m": S.m, "per_sample": "draws", "identity": False, "random_state": seed}
        made = own if isinstance(S, sa.SampleTable) else {"S": S}
        model = OneShotClassifier(
            estimator, action=SHIFT, sample_shape=(8, 8), average=False, **made
        )
        model, seconds = timed(model.fit, flat(data.x_train), data.y_train)
        yield measured(way, on_images(model.estimator_.predict), S, training=seconds)
        for name, (T, calls) in averages(way, S, seed).items():
            trained = FrozenEstimator(model.estimator_)
            average = OneShotClassifier(
                trained, action=SHIFT, S=T, sample_shape=(8, 8), average="same"
            )
            average.fit(flat(data.x_train), data.y_train)
            yield measured(name, on_images(average.predict), T, calls=calls, training=seconds)


def averages(way: str, S: Copies, seed: int) -> dict[str, tuple[sa.GroupSample, int]]:
    """What predictions are averaged over, and calls in all: the S trained on, which does little for a
    lattice; all of the group; after copies of each image's own, m draws.

    A model that was trained on a subgroup hardly changes along it, so its average over the same
    subgroup is the model itself.
    """
    if way == "none":
        return {}
    if isinstance(S, sa.SampleTable):
        drawn = sa.Oracle(GROUP, seed=seed).draw(S.m)
        return {f"{way} + average": (drawn, S.calls + S.m)}
    over = {f"{way} + average": (S, S.calls)}
    lattice = {f"{way} + average over all": (FULL, FULL.calls)}
    return over | (lattice if way.startswith("lattice") else {})


def network(samples: dict[str, Copies], data: Data, settings: Settings, seed: int) -> Iterator[Row]:
    """The network: the same, then streaming without a limit and at the budgets of one-shot."""
    measured = partial(measure, data=data, learner="CNN", seed=seed)
    steps, sizes = settings.steps, settings.sizes
    train = partial(fit, steps=steps, seed=seed)
    plain = TensorDataset(as_tensor(data.x_train), torch.tensor(data.y_train))
    fit(batches(plain, seed), steps=1, seed=seed)  # loads what torch loads late, before the clocks
    for way, S in samples.items():
        model, seconds = timed(train, batches(sann.OneShotDataset(plain, SHIFT, S), seed))
        yield measured(way, labels_of(model), S, training=seconds)
        for name, (T, calls) in averages(way, S, seed).items():
            average = labels_of(sann.OrbitAverage(model, SHIFT, T))
            yield measured(name, average, T, calls=calls, training=seconds)

    oracle = sa.Oracle(GROUP, seed=seed)
    stream = sann.StreamingDataset(plain, SHIFT, oracle)
    model, seconds = timed(train, batches(stream, seed))
    yield measured("streaming, per image", labels_of(model), stream, training=seconds)
    average = labels_of(sann.OrbitAverage(model, SHIFT, oracle.draw(64)))  # 64 calls more
    yield measured("streaming, per image + average", average, oracle, training=seconds)
    limited = {"streaming, per step": (steps, steps)}
    limited |= {f"streaming {m}, spread": (m, m) for m in sizes}
    limited |= {f"streaming {m}, then none": (m, steps) for m in sizes[-1:]}
    for way, (budget, draws) in limited.items():
        oracle = sa.Oracle(GROUP, seed=seed, budget=budget)
        shared = one_shift_a_batch(batches(plain, seed), oracle, draws=draws, steps=steps)
        model, seconds = timed(train, shared)
        yield measured(way, labels_of(model), oracle, training=seconds)


def batches(dataset: Any, seed: int) -> Batches:
    """Epoch after epoch, shuffled by the seed; a streaming data set is told of each epoch."""
    order = torch.Generator().manual_seed(seed)
    size = min(BATCH, len(dataset))
    loader = DataLoader(dataset, size, shuffle=True, drop_last=True, generator=order)
    for epoch in count():
        if isinstance(dataset, sann.StreamingDataset):
            dataset.set_epoch(epoch)
        yield from loader


def one_shift_a_batch(plain: Batches, oracle: sa.Oracle, *, draws: int, steps: int) -> Batches:
    """Shift whole batches: `draws` fresh shifts, spread evenly over the steps, each kept until the
    next is due; images as they are once the oracle's budget is spent."""
    shift = NONE
    for step, (x, y) in enumerate(plain):
        if oracle.calls < step * draws // steps + 1:
            shift = oracle.draw(1) if oracle.remaining else NONE
        yield SHIFT(shift, x)[0], y


def fit(stream: Batches, *, steps: int, seed: int) -> nn.Module:
    """Train the network on so many batches of a stream; its outputs are probabilities."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = nn.Sequential(
            *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Flatten(), nn.Linear(128, 10)),
        )
    optimizer = torch.optim.Adam(net.parameters(), lr=0.005)
    for x, y in islice(stream, steps):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
    return nn.Sequential(net, nn.Softmax(dim=1)).eval()


def measure(
    way: str,
    predict: Predict,
    drawn: Copies | sa.Oracle | sann.StreamingDataset,
    *,
    learner: str,
    data: Data,
    seed: int,
    training: float,
    calls: int | None = None,
) -> Row:
    """Accuracy on shifted images, the fraction of labels that fresh shifts change, and the cost."""
    labels, seconds = timed(predict, data.x_shifted)
    fresh = sa.Oracle(GROUP, seed=1000 + seed).draw(4)  # not counted: nothing is trained on it
    values = {
        "accuracy": float(np.mean(labels == data.y_test)),
        "invariance_error": sa.invariance_error(predict, SHIFT, fresh, data.x_test[:25]).mean,
        "calls": drawn.calls if calls is None else calls,
        "training": training,
        "prediction": seconds / len(labels),
    }
    if isinstance(drawn, sa.GroupSample):
        values["deviation"] = sa.deviation(drawn).value
    return Row(learner, way, seed, values)


def checkerboard(study: Study) -> list[str]:
    """What 32 shifts by design do next to 64 drawn ones, where both were run; one line per learner."""
    scores: dict[tuple[str, str], dict[int, float]] = {}
    for row in study.rows:
        scores.setdefault((row.learner, row.way), {})[row.seed] = row.values["accuracy"]
    said = []
    for learner in ("SVM", "random forest"):
        ours, theirs = (scores.get((learner, way), {}) for way in ("lattice 32", "one-shot 64"))
        if ours and theirs:
            ahead = sum(ours[seed] > theirs[seed] for seed in ours)
            means = [100 * float(np.mean(list(each.values()))) for each in (ours, theirs)]
            said.append(
                f"{learner}: checkerboard of 32 {means[0]:.1f} %, 64 draws {means[1]:.1f} %, "
                f"ahead on {ahead} of {len(ours)} seeds"
            )
    return said


def flat(images: Array) -> Array:
    """Images (n, 8, 8) as the rows (n, 64) that scikit-learn takes."""
    return images.reshape(len(images), -1)


def on_images(predict: Predict) -> Predict:
    """A prediction from rows as one from images."""
    return lambda images: predict(flat(images))


def as_tensor(images: Array) -> Tensor:
    """Images (n, 8, 8) as the batch (n, 1, 8, 8) that a convolution takes."""
    return torch.tensor(images[:, None], dtype=torch.float32)


def labels_of(model: nn.Module) -> Predict:
    """A network as a function from images to digits."""

    def predict(images: Array) -> Array:
        with torch.no_grad():
            return np.asarray(model(as_tensor(images)).argmax(dim=1))

    return predict


@options("digits", seeds=10)
def main(out: str, seeds: int | None, jobs: int, quick: bool) -> None:
    """Digits under periodic shifts, by three learners and every way of augmenting.

    \b
    Writes results.json, table.md and picture.png.
    Examples:
      python -m studies.examples.digits --out digits --jobs 2
      python -m studies.examples.digits --out quick --quick
    """
    settings = QUICK if quick else Settings()
    numbers = range(seeds or (1 if quick else 10))
    rows = run_seeds(partial(one_seed, settings), numbers, rows_per_seed=settings.rows, jobs=jobs)
    versions = {name: version(name) for name in ("sparseaug", "numpy", "torch", "scikit-learn")}
    noted = {**asdict(settings), "batch": BATCH, "versions": versions}
    study = Study("Digits under periodic shifts", COLUMNS, rows, noted)
    study.show()
    for said in checkerboard(study):
        print(said)
    for path in study.save(out, picture=("accuracy", "invariance_error")):
        print(path)


if __name__ == "__main__":
    main()
