"""`sparseaug audit`: accuracy over all of a group, of a model that runs elsewhere."""

from __future__ import annotations

import json

import click

from sparseaug.cli.output import say


@click.group(invoke_without_command=True)
@click.pass_context
def audit(context: click.Context) -> None:
    """Bound the accuracy over all of a group of a model that runs elsewhere, behind an API say.

    `pairs` writes which sample is moved by which element, numbers only: move the samples, ask the
    model about exactly these, and give the answers to `read`. In Python, `sparseaug.audit_risk`
    does all of it.

    \b
    Examples:
      sparseaug audit pairs --group S4 --n 240 --calls 1000 --out pairs.csv
      sparseaug audit read pairs.csv answers.csv
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@audit.command()
@click.option("--group", "name", required=True, help="Group by name, such as S4 or C28xC28.")
@click.option("--n", type=int, required=True, help="How many samples there are.")
@click.option("--calls", type=int, default=1000, show_default=True, help="How many pairs.")
@click.option("--seed", type=int, help="Not one that S was drawn with.  [default: one of its own]")
@click.option("--out", metavar="PATH", required=True, help="CSV file to write.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def pairs(
    name: str, n: int, calls: int, seed: int | None, out: str, force: bool, as_json: bool
) -> None:
    """Write uniform pairs (sample, element), one per line.

    \b
    Example:
      sparseaug audit pairs --group C28xC28 --n 500 --out pairs.csv
    """
    from sparseaug.certificate import write_pairs  # SciPy takes a while to import

    write_pairs(out, name, n=n, calls=calls, seed=seed, overwrite=force)
    if as_json:
        say(json.dumps({"path": out, "calls": calls}))
        return
    say(f"{calls:,} pairs in {out}; answer every one, then: sparseaug audit read {out} ANSWERS")


@audit.command()
@click.argument("pairs")
@click.argument("answers")
@click.option("--delta", type=float, default=0.05, show_default=True, help="Risk of a wrong bound.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
def read(pairs: str, answers: str, delta: float, as_json: bool) -> None:
    """Say what the ANSWERS to PAIRS show.

    ANSWERS is CSV with the columns pair and correct (0 or 1), or pair and loss (0 to 1): one line
    for each pair, in any order.

    \b
    Example:
      sparseaug audit read pairs.csv answers.csv --delta 0.01
    """
    from sparseaug.certificate import read_answers  # SciPy takes a while to import

    found = read_answers(pairs, answers, delta=delta)
    say(json.dumps(found.to_dict()) if as_json else str(found))
