"""The `sparseaug` command from its first moment: Ctrl-C is one line and exit code 130, imports too.

It stands beside the package, because importing any module of that imports NumPy first.
"""

import contextlib
import importlib
import os
import signal


def main(module: str = "sparseaug.cli") -> None:
    """Entry point of the `sparseaug` command: call main() of this module."""
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if usual:  # not where the caller ignores it, as nohup does
        signal.signal(signal.SIGINT, _leave)
    run = importlib.import_module(module).main
    if usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        run()
    finally:
        if usual:  # all is said: the exit code is what it is
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def _leave(*_: object) -> None:
    """Nothing is open yet, and an exception might be lost in a half-imported extension module."""
    with contextlib.suppress(OSError):
        os.write(2, b"\nInterrupted; nothing was written.\n")
    os._exit(130)
