"""Atomisation energies of molecules whose atoms come in no particular order.

All 2,189 molecules of QM9 with twelve atoms, as Coulomb matrices: 12! = 479,001,600 orders describe
the same molecule. Training and test molecules come in one uniformly random order each. Kernel ridge
regression and a network are trained with no help, on a canonical form, on one S of 4 to 64 drawn
reorderings, on as many of each molecule's own (drawn once), on the 12 of C_12, and (the network alone
can) on the 660 and 1,320 of PSL(2,11) and PGL(2,11), as many draws, or fresh reorderings while it
learns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import click
import numpy as np
import torch
from rich.console import Console
from scipy.spatial.distance import pdist
from sklearn.base import RegressorMixin
from sklearn.compose import TransformedTargetRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import sparseaug as sa
from sparseaug import nn as sann
from sparseaug.errors import SparseAugError
from sparseaug.sklearn import OneShotRegressor
from studies.examples.molecules import (
    FORMS,
    Floats,
    Molecules,
    Split,
    read_molecules,
    sort_rows,
    split,
    upper,
)
from studies.examples.study import Column, Row, Study, options, run_seeds, timed

ATOMS = 12
GROUP = sa.symmetric(ATOMS)
REORDER = sa.permute_nodes(GROUP)
NONE = sa.GroupSample(GROUP, GROUP.identity())
BATCH = 50
TUNING = 450  # molecules set aside for the hyperparameters of kernel ridge regression
WIDTHS, RIDGES = (0.5, 1.0, 2.0, 4.0), (1e-4, 1e-3, 1e-2, 1e-1)  # widths in median distances

COLUMNS = (
    Column("mae", "error, eV", digits=2),
    Column("invariance_error", "changes, eV", digits=2),
    Column("relative", "of spread, %", scale=100, digits=0, spread=False),
    Column("calls", "calls", digits=0),
    Column("deviation", "deviation, pairs", digits=2, spread=False),
    Column("training", "train, s", digits=1, spread=False),
    Column("prediction", "predict, ms", scale=1000, digits=2, spread=False),
)

Predict = Callable[[Floats], Floats]
Batches = Iterable[tuple[Tensor, Tensor]]
Ridge = tuple[float, float]  # gamma and alpha of kernel ridge regression


@dataclass(frozen=True)
class Settings:
    """How large the study is; every way of training a network takes the same number of steps."""

    train: int = 150
    test: int = 300
    sizes: tuple[int, ...] = (4, 12, 16, 64)
    designs: tuple[str, ...] = ("C_12", "PSL(2,11)", "PGL(2,11)")
    steps: int = 2000

    @property
    def rows(self) -> int:
        """Rows of one seed: 3, 4 per size and 2 per design by kernel ridge; by the networks 8, 5 per
        size, 5 per design, and 2 for as many draws where no size has them."""
        larger = sum(DESIGNS[name] not in self.sizes for name in self.designs)
        ridge = 3 + 4 * len(self.sizes) + 2 * sum(DESIGNS[name] <= 64 for name in self.designs)
        return ridge + 8 + 5 * len(self.sizes) + 5 * len(self.designs) + 2 * larger


DESIGNS = {"C_12": 12, "PSL(2,11)": 660, "PGL(2,11)": 1320}
"""Groups of permutations of 12 points: exact for functions of 1, 2 and 3 atoms at a time."""

QUICK = Settings(train=60, test=100, sizes=(12, 16), designs=("C_12", "PSL(2,11)"), steps=300)


def one_seed(
    molecules: Molecules, tuned: dict[str, Ridge], settings: Settings, seed: int
) -> Iterator[Row]:
    """Both learners in every way; molecules, orders, S and initialisation come from the seed."""
    torch.set_num_threads(1)
    data = split(molecules, settings.train, settings.test, seed=seed, apart=TUNING)
    yield from kernel_ridge(data, tuned, settings, seed)
    yield from network(data, settings, seed)


def kernel_ridge(
    data: Split, tuned: dict[str, Ridge], settings: Settings, seed: int
) -> Iterator[Row]:
    """A closed form, so all copies must be there at once: canonical forms, and one-shot."""
    measured = partial(measure, learner="kernel ridge", data=data, seed=seed)
    for way, make in regressors(settings, seed).items():
        model, seconds = timed(make(tuned[way]).fit, flat(data.x_train), data.y_train)
        if not isinstance(model, OneShotRegressor):
            yield measured(way, on_matrices(model), NONE, training=seconds)
            continue
        S, T = model.training_sample_, average_of(model)
        yield measured(way, on_matrices(model.estimator_), S, training=seconds)
        calls = S.calls + (0 if S is T else T.calls)
        averaged = on_matrices(model)
        yield measured(f"{way} + average", averaged, T, calls=calls, training=seconds)


def average_of(model: OneShotRegressor) -> sa.GroupSample:
    """What it averages over."""
    assert model.average_ is not None  # noqa: S101 - it was not told not to
    return model.average_.sample


def design(name: str, seed: int, *, translates: int = 1) -> sa.GroupSample:
    """A design, translated on both sides: the last of so many translates, two calls each."""
    known = "cyclic shifts" if name == "C_12" else name
    oracle = sa.Oracle(GROUP, seed=seed)
    for _ in range(translates):
        S = sa.design(GROUP, name=known).translate(oracle, side="both")
    return sa.GroupSample(GROUP, S.elements, calls=oracle.calls)


def regressors(settings: Settings, seed: int) -> dict[str, Callable[[Ridge], RegressorMixin]]:
    """Each way as a function that makes the regressor with its gamma and alpha."""

    def plain(form: Callable[[Floats], Floats], chosen: Ridge) -> RegressorMixin:
        kernel = KernelRidge(kernel="rbf", gamma=chosen[0], alpha=chosen[1])
        centred = StandardScaler(with_std=False)  # kernel ridge has no intercept
        return TransformedTargetRegressor(
            make_pipeline(FunctionTransformer(form), kernel), transformer=centred
        )

    def one_shot(chosen: Ridge, **S: Any) -> RegressorMixin:
        inner, shape = plain(upper, chosen), (ATOMS, ATOMS)
        options = {"sample_shape": shape, "random_state": seed, "average": "same", **S}
        return OneShotRegressor(inner, action=REORDER, **options)

    ways = {way: partial(plain, form) for way, form in FORMS.items()}
    ways |= {f"one-shot {m}": partial(one_shot, m=m) for m in settings.sizes}
    for m in settings.sizes:  # each molecule its own copies; averaged over draws for all
        drawn = sa.Oracle(GROUP, seed=seed).draw(m)
        ways[f"own {m}"] = partial(one_shot, m=m, per_sample="draws", average=drawn)
    small = [name for name in settings.designs if DESIGNS[name] <= 64]  # all copies at once
    return ways | {f"design {name}": partial(one_shot, S=design(name, seed)) for name in small}


def tune(molecules: Molecules, settings: Settings) -> dict[str, Ridge]:
    """The gamma and alpha of each way with the least error on molecules set aside, for all seeds.

    More than 16 elements take those of 16: to try them all would take longer than the study. A
    design takes those of as many draws.
    """
    data = split(molecules, settings.train, settings.test, seed=None, apart=TUNING)
    x, y, x_test = flat(data.x_train), data.y_train, flat(data.x_test)
    tuned: dict[str, Ridge] = {}
    few = replace(settings, sizes=tuple(m for m in settings.sizes if m <= 16), designs=())
    for way, make in regressors(few, seed=TUNING).items():
        median = np.median(pdist(FORMS.get(way, upper)(x)))
        errors = {}
        for chosen in [(0.5 / (w * median) ** 2, alpha) for w in WIDTHS for alpha in RIDGES]:
            model = make(chosen).fit(x, y)
            guess = getattr(model, "estimator_", model).predict(x_test)
            errors[chosen] = np.abs(guess - data.y_test).mean()
        tuned[way] = min(errors, key=errors.__getitem__)
    for way in ("one-shot", "own"):
        tuned |= {f"{way} {m}": tuned[f"{way} 16"] for m in settings.sizes if m > 16}
    return tuned | {f"design {name}": tuned["one-shot 12"] for name in settings.designs}


def network(data: Split, settings: Settings, seed: int) -> Iterator[Row]:
    """As the matrices come, sorted, one-shot, streaming, and a network that is invariant itself."""
    measured = partial(measure, learner="network", data=data, seed=seed)
    steps, mean, sd = settings.steps, data.y_train.mean(), data.y_train.std()
    y = as_tensor((data.y_train - mean) / sd)
    plain = TensorDataset(as_tensor(data.x_train), y)

    def trained(stream: Batches, net: nn.Module | None = None) -> tuple[nn.Module, float]:
        return timed(fit, net or perceptron(seed), stream, steps)

    def energies(model: nn.Module, form: Predict = np.asarray) -> Predict:
        return lambda x: predict(model, form(x)) * sd + mean

    model, seconds = trained(batches(plain, steps, seed))
    yield measured("none", energies(model), NONE, training=seconds)
    beside = designs_and_draws(settings, seed)
    for way, S in beside.items():  # a network that was not trained for it, averaged
        average = sann.OrbitAverage(model, REORDER, S)
        yield measured(f"none, average over {way}", energies(average), S, training=seconds)
    in_order = TensorDataset(as_tensor(sort_rows(data.x_train)), y)
    model, seconds = trained(batches(in_order, steps, seed))
    yield measured("sorted", energies(model, sort_rows), NONE, training=seconds)
    samples = {f"one-shot {m}": sa.Oracle(GROUP, seed=seed).draw(m) for m in settings.sizes}
    words = samples["one-shot 16"].words(length=4, size=64, seed=seed)
    samples["64 words of 16 calls"] = sa.GroupSample(GROUP, words.elements, calls=16)
    samples |= {way: S for way, S in beside.items() if way not in samples}
    # a network hardly changes along the subgroup it was trained on: averaged over another translate
    others = {f"design {name}": design(name, seed, translates=2) for name in settings.designs}
    for way, S in samples.items():
        model, seconds = trained(batches(sann.OneShotDataset(plain, REORDER, S), steps, seed))
        average = sann.OrbitAverage(model, REORDER, S)
        yield measured(way, energies(model), S, training=seconds)
        yield measured(f"{way} + average", energies(average), S, training=seconds)
        if way in others:
            average = sann.OrbitAverage(model, REORDER, others[way])
            name = f"{way} + average over another"
            yield measured(name, energies(average), others[way], training=seconds)
    for m in settings.sizes:
        table = sa.SampleTable.draws(sa.Oracle(GROUP, seed=seed), settings.train, m)
        model, seconds = trained(batches(sann.OneShotDataset(plain, REORDER, table), steps, seed))
        yield measured(f"own {m}", energies(model), table, training=seconds)
        drawn = samples[f"one-shot {m}"]
        average, calls = sann.OrbitAverage(model, REORDER, drawn), table.calls + m
        name = f"own {m} + average"
        yield measured(name, energies(average), drawn, calls=calls, training=seconds)
    for m in (*settings.sizes, steps):
        oracle = sa.Oracle(GROUP, seed=seed, budget=m)
        model, seconds = trained(shared(batches(plain, steps, seed), oracle, steps // m))
        way = f"streaming {m}, spread" if m < steps else "streaming, per step"
        yield measured(way, energies(model), oracle, training=seconds)
    oracle = sa.Oracle(GROUP, seed=seed)
    model, seconds = trained(batches(sann.StreamingDataset(plain, REORDER, oracle), steps, seed))
    yield measured("streaming, per molecule", energies(model), oracle, training=seconds)
    average = sann.OrbitAverage(model, REORDER, oracle.draw(64))  # 64 calls more
    way = "streaming, per molecule + average"
    yield measured(way, energies(average), oracle, training=seconds)
    model, seconds = trained(batches(plain, steps, seed), PairNetwork(seed))
    yield measured("invariant by design", energies(model), NONE, training=seconds)


def designs_and_draws(settings: Settings, seed: int) -> dict[str, sa.GroupSample]:
    """Each design, and as many draws."""
    samples = {}
    for name in settings.designs:
        samples[f"one-shot {DESIGNS[name]}"] = sa.Oracle(GROUP, seed=seed).draw(DESIGNS[name])
        samples[f"design {name}"] = design(name, seed)
    return samples


def batches(dataset: Any, steps: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """`steps` batches, epoch after epoch, shuffled by the seed."""
    order = torch.Generator().manual_seed(seed)
    loader = DataLoader(dataset, BATCH, shuffle=True, drop_last=True, generator=order)
    streaming = isinstance(dataset, sann.StreamingDataset)
    for epoch in range(-(-steps // len(loader))):
        if streaming:
            dataset.set_epoch(epoch)
        for step, batch in enumerate(loader, start=epoch * len(loader)):
            yield batch
            if step == steps - 1:
                break
    if streaming:
        _ = dataset.calls  # tells the oracle of the last epoch


def shared(plain: Batches, oracle: sa.Oracle, every: int) -> Batches:
    """Whole batches are moved by one element, and a fresh one is drawn `every` so many steps."""
    for step, (x, y) in enumerate(plain):
        if step % every == 0 and oracle.remaining:
            element = oracle.draw(1)
        yield REORDER(element, x)[0], y


class Upper(nn.Module):
    """The upper triangles of matrices (B, 12, 12), in tens of atomic units."""

    def forward(self, x: Tensor) -> Tensor:
        """(B, 78)."""
        row, column = torch.triu_indices(ATOMS, ATOMS)
        return x[:, row, column] / 10


def perceptron(seed: int) -> nn.Module:
    """Two hidden layers on the upper triangle."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        hidden = (nn.Linear(78, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        return nn.Sequential(Upper(), *hidden, nn.Linear(128, 1), nn.Flatten(0))


class PairNetwork(nn.Module):
    """A function of a sum over pairs of atoms of a function of the pair: invariant by design."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            first = (nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
            self.pairs = nn.Sequential(*first)
            second = (nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(0))
            self.molecule = nn.Sequential(*second)

    def forward(self, x: Tensor) -> Tensor:
        """(B,); a pair is the sum and the difference of two atoms' entries, and their own entry."""
        row, column = torch.triu_indices(ATOMS, ATOMS)
        x = x / 10
        atoms = x.diagonal(dim1=1, dim2=2)
        one, other = atoms[:, row], atoms[:, column]
        pairs = torch.stack([one + other, (one - other).abs(), x[:, row, column]], dim=-1)
        return self.molecule(self.pairs(pairs).sum(dim=1) / ATOMS)


def fit(net: nn.Module, stream: Batches, steps: int) -> nn.Module:
    """Train on a stream of batches, in the same way for all."""
    optimizer = torch.optim.Adam(net.parameters())
    rate = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.01, total_steps=steps)
    for x, y in stream:
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
        rate.step()
    return net.eval()


def measure(
    way: str,
    model: Predict,
    drawn: sa.GroupSample | sa.SampleTable | sa.Oracle,
    *,
    learner: str,
    data: Split,
    seed: int,
    training: float,
    calls: int | None = None,
) -> Row:
    """Error on test molecules, what fresh reorderings change in the prediction, and the cost."""
    guess, seconds = timed(model, data.x_test)
    fresh = sa.Oracle(GROUP, seed=1000 + seed).draw(4)  # not counted: nothing is trained on it
    change = sa.invariance_error(model, REORDER, fresh, data.x_test[:50]).mean
    values = {
        "mae": float(np.abs(guess - data.y_test).mean()),
        "invariance_error": change,
        "relative": change / float(data.y_test.std()),
        "calls": drawn.calls if calls is None else calls,
        "training": training,
        "prediction": seconds / len(guess),
    }
    if isinstance(drawn, sa.GroupSample) and drawn.m > 1:
        values["deviation"] = sa.deviation(drawn, degree=2).value
    return Row(learner, way, seed, values)


def flat(matrices: Floats) -> Floats:
    """Matrices as the rows (n, 144) that scikit-learn takes."""
    return matrices.reshape(len(matrices), -1)


def on_matrices(model: RegressorMixin) -> Predict:
    """Predictions from matrices, of a few molecules at a time: each may have 64 copies."""
    return lambda x: np.concatenate(
        [model.predict(flat(x[k : k + 50])) for k in range(0, len(x), 50)]
    )


def as_tensor(array: Floats) -> Tensor:
    """In the precision that networks are trained in."""
    return torch.tensor(array, dtype=torch.float32)


def predict(model: nn.Module, x: Floats) -> Floats:
    """A network's output as an array."""
    with torch.no_grad():
        return model(as_tensor(x)).double().numpy()


@options("qm9", seeds=5)
def main(out: str, seeds: int | None, jobs: int, quick: bool) -> None:
    """Atomisation energies of reordered molecules, by two learners and every way of augmenting.

    \b
    Needs the molecules: pip install 'sparseaug[examples]'.
    Writes results.json, table.md and picture.png.
    Examples:
      python -m studies.examples.qm9 --out qm9 --jobs 2
      python -m studies.examples.qm9 --out quick --quick
    """
    settings, count = (QUICK, seeds or 1) if quick else (Settings(), seeds or 5)
    console = Console()
    try:
        with console.status("reading molecules and choosing widths and ridges"):
            molecules = read_molecules(ATOMS)
            tuned = tune(molecules, settings)
    except SparseAugError as error:
        raise click.ClickException(str(error)) from error
    work = partial(one_seed, molecules, tuned, settings)
    rows = run_seeds(work, range(count), rows_per_seed=settings.rows, jobs=jobs)
    chosen = {way: {"gamma": gamma, "alpha": alpha} for way, (gamma, alpha) in tuned.items()}
    study = Study("Molecules in any order", COLUMNS, rows, asdict(settings) | {"tuned": chosen})
    study.show()
    for path in study.save(out, picture=("mae", "invariance_error")):
        console.print(f"wrote {path}")


if __name__ == "__main__":
    main()
