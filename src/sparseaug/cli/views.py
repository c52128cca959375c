"""`sparseaug views`: what a store of views holds, and whether it is sound."""

from __future__ import annotations

import click

from sparseaug.cli.output import say


@click.group(invoke_without_command=True)
@click.pass_context
def views(context: click.Context) -> None:
    """Look at a store of views that `sparseaug.views.compute` wrote.

    \b
    Examples:
      sparseaug views info features.zarr
      sparseaug views verify features.zarr
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@views.command()
@click.argument("path")
def info(path: str) -> None:
    """Say what the store at PATH holds, complete or not.

    \b
    Example:
      sparseaug views info features.zarr
    """
    from sparseaug.views.folder import folder_of  # zarr is an extra, and takes a while to import
    from sparseaug.views.layout import Layout

    say(Layout.load_root(folder_of("path", path)).table().text())


@views.command()
@click.argument("path")
def verify(path: str) -> None:
    """Read the store at PATH, and name the first damaged chunk.

    \b
    Example:
      sparseaug views verify features.zarr
    """
    from sparseaug import views

    views.open(path).verify()
    say(f"{path} is sound: every checksum matches.")
