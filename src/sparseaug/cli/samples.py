"""`sparseaug draw` and `sparseaug design`: make S, save it, say what it cost."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from sparseaug._archive import to_json
from sparseaug._io import check_path
from sparseaug._tables import Table
from sparseaug.cli.output import of_order, read_spectrum, say
from sparseaug.cli.progress import waiting
from sparseaug.cli.rows import FORMS, rotations_as, shown
from sparseaug.designs import design as make
from sparseaug.designs import records
from sparseaug.designs.design import OBJECTIVES
from sparseaug.groups import group
from sparseaug.sampling import GroupSample, Oracle


@click.command(short_help="Draw uniform elements of a group and save them.")
@click.option("--group", "name", required=True, help="Group by name, such as S6 or C28xC28.")
@click.option("--m", type=int, help="Number of elements: one oracle call each.")
@click.option("--full", is_flag=True, help="Instead, all of the group, at no call.")
@click.option("--target", type=float, help="Instead, as many as reach this deviation.")
@click.option("--degree", type=int, help="With --target: only functions of so many coordinates.")
@click.option("--identity", is_flag=True, help="With --m: the identity is one of them, undrawn.")
@click.option("--distinct", is_flag=True, help="With --m: without replacement.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same S every time.")
@click.option("--out", metavar="PATH", required=True, help="File to write.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def draw(
    name: str,
    m: int | None,
    full: bool,
    target: float | None,
    degree: int | None,
    seed: int,
    out: str,
    force: bool,
    as_json: bool,
    **how: bool,
) -> None:
    """Draw uniform elements of a group and save them as one file.

    \b
    Examples:
      sparseaug draw --group S6 --m 64 --seed 0 --out S.safetensors
      sparseaug draw --group D4 --full --out S.safetensors
      sparseaug draw --group S6 --target 0.25 --out S.safetensors
    """
    _require_new(out, force)
    if sum((m is not None, full, target is not None)) != 1:
        raise click.UsageError("--m, --full and --target say how many; give one of them.")
    if (m is None and any(how.values())) or (target is None and degree is not None):
        raise click.UsageError("--identity and --distinct go with --m, --degree with --target.")
    g = group(name)
    oracle = Oracle(g, seed=seed)
    title, more = f"How good it is: sparseaug certify {out}", {}
    if m is not None:
        sample = oracle.draw(m, **how)
    elif target is None:
        sample = GroupSample.full(g)
    else:
        from sparseaug.norms import draw_until  # SciPy takes a while to import

        with waiting(f"drawing from {name}"):
            drawn = draw_until(oracle, target=target, degree=degree)
        sample, title = drawn.sample, drawn.deviation.statement
        more["deviation"] = drawn.deviation.to_dict()
    sample.save(out, overwrite=force)
    _tell(sample, oracle.calls, out, title, more, as_json)


@click.command(short_help="Make S by design, or list the designs that are known.")
@click.option("--group", "name", required=True, help="Group by name, such as S7 or C28xC28.")
@click.option("--degree", type=int, help="Exact for functions of so many coordinates at a time.")
@click.option("--m", type=int, help="Number of elements, at most; the best for smooth functions.")
@click.option("--spectrum", "file", metavar="FILE", help="With --m: the best for this model.")
@click.option(
    "--objective",
    type=click.Choice(list(OBJECTIVES)),
    default="prediction",
    show_default=True,
    help="With --m: deviation for the worst of all functions.",
)
@click.option("--name", "construction", help="A design of the table, such as lattice or nested.")
@click.option("--identity", is_flag=True, help="Put the identity first.")
@click.option("--translate-seed", metavar="SEED", type=int, help="Unbiased, by one oracle call.")
@click.option("--euler", "form", type=click.Choice(FORMS), help="Of SO3: rotations for programs.")
@click.option("--out", metavar="PATH", help="File to write.")
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def design(
    name: str,
    file: str | None,
    construction: str | None,
    translate_seed: int | None,
    form: str | None,
    out: str | None,
    force: bool,
    as_json: bool,
    **asked: Any,
) -> None:
    """Make S without an oracle call; without --degree, --m and --name, list what is known.

    FILE is the JSON of `orbit_spectrum(f, action, x).to_dict()`.

    \b
    Examples:
      sparseaug design --group S7
      sparseaug design --group C28xC28 --m 49 --spectrum spectrum.json --out S
      sparseaug design --group C91 --m 10 --objective deviation --out S
      sparseaug design --group S7 --degree 2 --translate-seed 0 --out S
      sparseaug design --group SO3 --degree 5 --euler zyz
    """
    if out is not None:
        _require_new(out, force)
    g, other = group(name), asked["objective"] != "prediction"
    if asked["degree"] is None and asked["m"] is None and construction is None:
        if out or file or other or asked["identity"] or translate_seed is not None or form:
            raise click.UsageError("the other options need --degree, --m or --name.")
        known = records(g)
        say(json.dumps(known.to_dict()) if as_json else str(known))
        return
    spectrum = None if file is None else read_spectrum(file)
    with waiting(f"looking for a design of {name}"):
        sample = make(g, name=construction, spectrum=spectrum, **asked)
    if translate_seed is not None:
        sample = sample.translate(Oracle(g, seed=translate_seed))
    if out is not None:
        sample.save(out, overwrite=force)
    if form is not None:
        say(rotations_as(sample, form))
        return
    exact = next((each.degree for each in records(g) if each.name == sample.origin.design), 0)
    title = f"{sample.origin.design}, m = {sample.m:,}" + f": exact to degree {exact}" * bool(exact)
    more: dict[str, Any] = {"design": sample.origin.design, "exact_to_degree": exact}
    if spectrum is not None:
        prediction = spectrum.predict(sample)
        title, more["prediction"] = f"{title}: {prediction}", prediction.to_dict()
    elif asked["m"] is not None and asked["degree"] is None and construction is None:
        by = OBJECTIVES[asked["objective"]]
        title += f": the best found {by}; for your own model give --spectrum"
    more["elements"] = sample.elements.tolist()
    _tell(sample, sample.calls, out, title, more, as_json)
    if out is None and not as_json:
        say("\n" + shown(sample))


def _require_new(out: str, force: bool) -> None:
    """Before the work; save() makes sure of it after."""
    check_path("--out", out)
    if os.path.lexists(out) and not force:
        raise click.UsageError(f"{out} exists already; choose another --out or add --force.")


def _tell(
    sample: GroupSample, calls: int, out: str | None, title: str, more: Any, as_json: bool
) -> None:
    distinct = len(sample.counts()[0])
    facts = {"group": sample.group.name, "order": to_json(sample.group.order), "m": sample.m}
    facts |= {"distinct": distinct, "calls": calls, "sha256": sample.sha256, "path": out}
    rows = [
        ("group", of_order(sample.group)),
        ("elements", f"{sample.m:,}, {distinct:,} of them distinct"),
        ("oracle calls", f"{calls:,}"),
        ("sha256", sample.sha256),
        *([] if out is None else [("saved to", out)]),
    ]
    say(json.dumps({**facts, **more}) if as_json else Table(("", ""), rows, title=title).text())
