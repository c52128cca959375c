"""Ensembles of tabular models: the lists of TabPFN and TabICL, made by their own code without weights.

    pip install tabpfn tabicl; python -m studies.tabular [members]

A member of such an ensemble has an order of the classes, an order of the columns and a preprocessor: an
element of S_c x S_f x C_p. For each list, at the seed that is its package's default: how many class
orders, column orders and pairs of class order and preprocessor occur; the index of the smallest
subgroup such that these pairs lie in one of its cosets (above 1 the deviation is 1); the norm of the
column orders on functions of one and of two columns. Then what the mean over a list leaves of a typical
model (`prior`): the mean over 20 seeds with its standard error, as many draws, which leave 1/m on
average, and the set of this size that `design` chooses by the same prior. `members` is the largest
size, 32 unless given.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module, metadata
from typing import NamedTuple

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import sparseaug as sa
from sparseaug.groups import Group
from sparseaug.norms.generation import generated_order
from sparseaug.spectrum.spectrum import prior

CASES = ((2, 7), (3, 7), (5, 10), (10, 30))  # classes, columns
SIZES = (4, 8, 16, 32)
SEEDS = 20


class Ensemble(NamedTuple):
    """One list: how member i changes the data.

    Attributes:
        source: package and version
        classes: label k is written as classes[i][k]
        columns: place j holds column columns[i][j]
        preprocessors: the number of its preprocessor
    """

    source: str
    classes: list[list[int]]
    columns: list[list[int]]
    preprocessors: list[int]


class Row(NamedTuple):
    ensemble: Ensemble
    class_orders: str
    column_orders: str
    pairs: str
    coset_index: int | None
    norms: tuple[float, float]
    left: tuple[float, float]
    designed: float


def elements(ensemble: Ensemble) -> sa.GroupSample:
    """The list as elements of S_c x S_f x C_p.

    A row of a permutation holds images. Class orders are that already; a list of which column stands in
    each place is the inverse. In a product it matters which of two factors is inverted.
    """
    classes, columns = np.array(ensemble.classes), np.argsort(ensemble.columns, axis=1)
    preprocessors = np.array(ensemble.preprocessors)[:, None]
    group = sa.direct_product(
        sa.symmetric(classes.shape[1]),
        sa.symmetric(columns.shape[1]),
        sa.cyclic(max(ensemble.preprocessors) + 1),
    )
    return sa.GroupSample(group, np.hstack([classes, columns, preprocessors]))


def parts(S: sa.GroupSample) -> tuple[sa.GroupSample, sa.GroupSample, sa.GroupSample]:
    """Of elements of S_c x S_f x C_p: class orders, column orders, class orders with preprocessors."""
    classes, columns, preprocessors = S.group.factors
    of_class, of_column, rest = np.hsplit(
        S.elements, [classes.width, classes.width + columns.width]
    )
    both = sa.direct_product(classes, preprocessors)
    return (
        sa.GroupSample(classes, of_class),
        sa.GroupSample(columns, of_column),
        sa.GroupSample(both, np.hstack([of_class, rest])),
    )


def judge(ensembles: list[Ensemble]) -> Row:
    """The first of several lists that differ in the seed; what is left is the mean over all."""
    samples = [elements(one) for one in ensembles]
    S = samples[0]
    classes, columns, pairs = parts(S)
    order = generated_order(pairs)
    norms = sa.profile(columns, degree=2).norms
    left = [prior(S.group).predict(one).relative for one in samples]
    return Row(
        ensembles[0],
        class_orders=_occur(classes),
        column_orders=_occur(columns),
        pairs=_occur(pairs),
        coset_index=None if order is None else pairs.group.order // order,
        norms=(norms[1], norms[2]),
        left=(float(np.mean(left)), float(np.std(left, ddof=1) / len(left) ** 0.5)),
        designed=_designed(S.group, S.m),
    )


def tabpfn(classes: int, columns: int, m: int, *, seed: int = 0) -> Ensemble:
    """TabPFN's list, with the preprocessors and methods of its model 2.5.

    A preprocessor may append columns of its own before all of them are shuffled; here the same step
    shuffles the given columns alone.
    """
    made = import_module("tabpfn.preprocessing.ensemble")
    model = import_module("tabpfn.constants").ModelVersion.V2_5
    config = import_module("tabpfn.inference_config").InferenceConfig.get_default(
        "multiclass", model
    )
    configs = made.generate_classification_ensemble_configs(
        num_estimators=m,
        add_fingerprint_feature=config.FINGERPRINT_FEATURE,
        polynomial_features=config.POLYNOMIAL_FEATURES,
        feature_shift_decoder=config.FEATURE_SHIFT_METHOD,
        preprocessor_configs=config.PREPROCESS_TRANSFORMS,
        class_shift_method=config.CLASS_SHIFT_METHOD,
        n_classes=classes,
        random_state=seed,
        num_models=1,
        outlier_removal_std=config.get_resolved_outlier_removal_std("classifier"),
    )
    X = np.zeros((2, columns))
    schema = made.FeatureSchema.from_only_categorical_indices([], columns)
    members = made.TabPFNEnsemblePreprocessor(
        configs=configs,
        n_samples=len(X),
        feature_schema=schema,
        random_state=seed,
        n_preprocessing_jobs=1,
    )
    shuffles = [pipeline.steps[-1][0] for pipeline in members.pipelines]
    for shuffle in shuffles:
        shuffle.fit_transform(X, schema)
    return Ensemble(
        _version("tabpfn"),
        [one.class_permutation.tolist() for one in configs],
        [shuffle.index_permutation_ for shuffle in shuffles],
        [config.PREPROCESS_TRANSFORMS.index(one.preprocess_config) for one in configs],
    )


def tabicl(classes: int, columns: int, m: int, *, seed: int = 42) -> Ensemble:
    """TabICL's list; it has fewer than m members where classes x columns x preprocessors are fewer."""
    made = import_module("tabicl._sklearn.preprocessing")
    X = np.random.default_rng(0).normal(size=(4 * classes, columns))
    generator = made.EnsembleGenerator(classification=True, n_estimators=m, random_state=seed)
    generator.fit(X, np.arange(len(X)) % classes)
    found = [
        (list(of_class), list(order), generator.norm_methods_.index(method))
        for method, members in generator.ensemble_configs_.items()
        for order, of_class in members
    ]
    found.sort(key=lambda one: one[2])  # their order of methods is that of a set of strings
    return Ensemble(_version("tabicl"), *(list(part) for part in zip(*found, strict=True)))


LISTS: tuple[Callable[..., Ensemble], ...] = (tabpfn, tabicl)


def study(most: int) -> Iterator[Row]:
    for make in LISTS:
        for classes, columns in CASES:
            for m in SIZES:
                if m <= most:
                    first = make(classes, columns, m)
                    others = [make(classes, columns, m, seed=seed) for seed in range(1, SEEDS)]
                    yield judge([first, *others])


def table(rows: list[Row]) -> Table:
    shown = Table(box=box.SIMPLE_HEAD, title="what ensembles of tabular models average")
    for name in (
        "list",
        "classes",
        "columns",
        "m",
        "class orders",
        "column orders",
        "with preprocessor",
        "index",
        "one column",
        "two",
        "left",
        "of draws",
        "of design",
    ):
        shown.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        m = len(row.ensemble.classes)
        shown.add_row(
            row.ensemble.source,
            str(len(row.ensemble.classes[0])),
            str(len(row.ensemble.columns[0])),
            str(m),
            row.class_orders,
            row.column_orders,
            row.pairs,
            "-" if row.coset_index is None else str(row.coset_index),
            *(f"{norm:.3f}" for norm in row.norms),
            "{:.4f} +- {:.4f}".format(*row.left),
            f"{1 / m:.4f}",
            f"{row.designed:.4f}",
        )
    return shown


def _occur(S: sa.GroupSample) -> str:
    seen, _ = S.counts()
    order = S.group.order
    return f"{len(seen)} of {order if order < 10**7 else f'{float(order):.0e}'}"


@cache
def _designed(group: Group, m: int) -> float:
    return prior(group).predict(sa.design(group, m=m)).relative


def _version(package: str) -> str:
    return f"{package} {metadata.version(package)}"


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else max(SIZES)
    try:
        rows = list(study(most))
    except ImportError as error:
        sys.exit(f"SKIPPED, NOTHING WAS JUDGED: {error}; pip install tabpfn tabicl.")
    Console(width=170).print(table(rows))


if __name__ == "__main__":
    main()
