"""What every public callable owes to bad input, and the judge of it.

A call with one bad argument either works, where the value happens to be allowed, or raises a
`SparseAugError` that names the argument in one short line: no other exception, no warning, no NaN in
the result, no seconds and no memory. What can never be right (text for a number, NaN for a number,
an object for an array) must be refused.
"""

from __future__ import annotations

import inspect
import pkgutil
import re
import resource
import signal
import types
import warnings
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, is_dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

import sparseaug
from sparseaug.errors import LawError, NotAGroupError, SparseAugError, shorten_text
from tests.bad_input.values import KIND, VALUES, TrapError
from tests.extras import LAYERS, installed

CALLED = ("__call__", "__getitem__", "__getitems__")  # the magic methods that take arguments
LONGEST_MESSAGE = 700
CPU_SECONDS = 10  # a hang, on the slowest machine; bad input is answered in milliseconds
MEGABYTES = 500


@dataclass(frozen=True)
class Fresh:
    """An argument that is made for each call, as calls change it."""

    make: Callable[[], Any]


@dataclass(frozen=True)
class Example:
    """A callable with good arguments."""

    call: Callable[..., Any]
    good: dict[str, Any]
    key: str  # which public callable this is about
    also: tuple[str, ...] = ()  # other words that may name an argument
    takes: dict[str, Iterable[str]] = field(
        default_factory=dict
    )  # values an argument takes, or kinds
    warns: tuple[type[Warning], ...] = ()  # warnings of another package that are passed on
    on: Callable[[], Any] | None = None  # makes the object whose method is called

    def __call__(self, **changed: Any) -> Any:
        return self.call(**self.arguments(**changed))

    def arguments(self, **changed: Any) -> dict[str, Any]:
        given = {**self.good, **changed}
        return {k: v.make() if isinstance(v, Fresh) else v for k, v in given.items()}


class Table:
    """Good values by the name of the parameter: an example is a callable and what is special of it.

    `table(call)` gives every parameter that has a value here, `table(call, "m degree")` these alone,
    `table(call, m=5)` another value for one. With `via` that is called in place of `call`; `on` takes a
    method of an object that is made for each call.
    """

    def __init__(
        self, known: dict[str, Any], takes: dict[str, Iterable[str]] | None = None
    ) -> None:
        self.known, self.takes = known, takes or {}

    def __call__(
        self,
        call: Callable[..., Any],
        names: str = "",
        *,
        via: Callable[..., Any] | None = None,
        of: str = "",
        also: str = "",
        takes: dict[str, Iterable[str]] | None = None,
        warns: tuple[type[Warning], ...] = (),
        **given: Any,
    ) -> Example:
        there = parameters(call)
        known = {**self.known, **given}
        wanted = (*names.split(), *given) if names else [name for name in there if name in known]
        good = {name: known[name] for name in wanted if name in there or of}
        found = {name: kinds for name, kinds in self.takes.items() if name in good} | (takes or {})
        return Example(via or call, good, of or key(call), tuple(also.split()), found, warns)

    def on(self, make: Callable[[], Any], name: str, *names: str, **given: Any) -> Example:
        def via(**chosen: Any) -> Any:
            return getattr(make(), name)(**chosen)

        return replace(self(getattr(type(make()), name), *names, via=via, **given), on=make)


def key(function: Any) -> str:
    """Package and name: it stays when a file of the package is renamed."""
    function = getattr(function, "__func__", function)
    if not hasattr(function, "__qualname__"):  # an object that is called
        function = next(
            vars(c)["__call__"] for c in type(function).__mro__ if "__call__" in vars(c)
        )
    return f"{function.__module__.split('.')[1]}.{function.__qualname__}"


def packages() -> Iterator[types.ModuleType]:
    yield sparseaug
    for one in pkgutil.iter_modules(sparseaug.__path__):
        # tests/test_optional.py is about what is not installed; tests/cli about the command
        if one.ispkg and one.name != "cli" and installed(LAYERS.get(one.name, "numpy")):
            yield import_module(f"sparseaug.{one.name}")


def public(modules: Iterable[types.ModuleType]) -> dict[str, Callable[..., Any]]:
    """Every public function, class and method of ours that takes an argument, by its key."""
    found = {}
    for module in modules:
        for name in module.__all__:
            thing = getattr(module, name)
            if not ours(thing) or (inspect.isclass(thing) and issubclass(thing, BaseException)):
                continue
            found[key(thing)] = thing
            for base in thing.__mro__ if inspect.isclass(thing) else ():
                for method in vars(base).values() if ours(base) else ():
                    function = getattr(method, "__func__", method)
                    if inspect.isfunction(function) and is_public(function) and ours(function):
                        found[key(function)] = function
    return {k: f for k, f in found.items() if not inspect.isabstract(f) and parameters(f)}


def ours(thing: Any) -> bool:
    return callable(thing) and (getattr(thing, "__module__", "") or "").startswith("sparseaug.")


def is_public(function: types.FunctionType) -> bool:
    named = not function.__name__.startswith("_") or function.__name__ in CALLED
    return named and not getattr(function, "__isabstractmethod__", False)


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    given = inspect.signature(function).parameters
    return {name: p for name, p in given.items() if name not in ("self", "cls")}


def without_example(
    public: dict[str, Callable[..., Any]], examples: Iterable[Example], excused: Container[str]
) -> list[str]:
    """The callables and parameters that no example has."""
    shown = {(e.key, name) for e in examples for name in e.good}
    missing = {
        f"{k}({name})": k
        for k, function in public.items()
        for name in parameters(function)
        if (k, name) not in shown and not is_result(function)
    }
    return [one for one, k in missing.items() if k not in excused and one not in excused]


def is_result(function: Callable[..., Any]) -> bool:
    """Data that `sparseaug` itself does not list: the library builds it from what it has checked."""
    data = is_dataclass(function) or (inspect.isclass(function) and issubclass(function, tuple))
    return data and function.__name__ not in sparseaug.__all__


def judge(example: Example, name: str, parameter: inspect.Parameter | None = None) -> list[str]:
    """What is wrong with the answers to each bad value for the argument `name`."""
    faults = ((what, fault(example, name, what, parameter)) for what in VALUES)
    return [f"{name} = {what}: {text}" for what, text in faults if text]


def fault(
    example: Example, name: str, what: str, parameter: inspect.Parameter | None
) -> str | None:
    value = VALUES[what]()
    if takes_functions(parameter) and callable(value):
        return None  # what a function of the user's raises is passed on
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        with watched(example.warns):
            result = example(**{name: value})
    except (LawError, NotAGroupError):
        return None  # a check that fails has answered, and a distribution that something else takes
    except SparseAugError as error:
        return fault_of_message(str(error), example, name, what)
    except TrapError:
        # of a foreign object, as of a user's function; but numbers and rows are not asked for more
        strict = example.key.startswith(("groups.", "theory."))
        return "raises what the object raises" if strict else None
    except (Exception, Hang) as error:
        return f"raises {type(error).__name__}: {shorten_text(text_of(error), 300)}"
    if (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 > MEGABYTES:
        return f"takes more than {MEGABYTES} MB"
    taken = example.takes.get(name, ())
    if what in taken or KIND[what] in taken or "everything" in taken:
        return None
    if has_nan(result):
        return "gives NaN"
    if KIND[what] in refused(example, name, parameter):
        return f"is accepted, and is not such as {type(example.good[name]).__name__}"
    return None


def text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # of a value without a text
        return "an error without a text"


def takes_functions(parameter: inspect.Parameter | None) -> bool:
    return (
        parameter is not None
        and re.search(r"Batch|Callable|Loss|Source|Progress", str(parameter.annotation)) is not None
    )


def fault_of_message(message: str, example: Example, name: str, what: str) -> str | None:
    """Two good objects that do not fit each other may be named by either."""
    names = (name, *example.also) if KIND[what] != "other" else (*example.good, *example.also)
    if not re.search(rf"\b({'|'.join(map(re.escape, names))})\b", message):
        return f"is not named: {message}"
    if len(message) > LONGEST_MESSAGE or "\n" in message:
        return f"has a long message: {message[:300]}"
    return None


def refused(example: Example, name: str, parameter: inspect.Parameter | None) -> set[str]:
    """The kinds of value that can never be right next to this good one."""
    good = example.good[name]
    good = good.make() if isinstance(good, Fresh) else good
    refuse = set(KIND.values()) - {"other", "bool"}
    if good is None or optional(parameter):
        refuse -= {"none"}
    match good:
        case None:
            return {"NaN"} & refuse
        case bool():
            return refuse - {"number", "array"}
        case int() | float():
            return refuse - {"number"}
        case str():
            return refuse - {"text"}
        case np.ndarray() | list() | tuple():
            return refuse - {"number", "array", "list"}
    package = type(good).__module__.partition(".")[0]
    if package == "torch":
        return refuse - {"number", "array", "list"}
    return refuse if package == "sparseaug" else {"none", "NaN"} & refuse


def optional(parameter: inspect.Parameter | None) -> bool:
    return parameter is not None and (
        parameter.default is None or "None" in str(parameter.annotation)
    )


def has_nan(result: Any) -> bool:
    if not isinstance(result, float | np.ndarray) and type(result).__module__ != "torch":
        return False
    try:
        return bool(np.isnan(np.asarray(result)).any())
    except (TypeError, RuntimeError):  # not numbers; a tensor with a gradient
        return False


class Hang(BaseException):
    """Too much time: not an Exception, so that no `except Exception` on the way takes it."""


@contextmanager
def watched(passed_on: tuple[type[Warning], ...]) -> Iterator[None]:
    """Warnings are errors, and a hang is ended."""

    def stop(*given: Any) -> None:
        raise Hang(f"more than {CPU_SECONDS} s")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for category in passed_on:
            warnings.simplefilter("ignore", category)
        before = signal.signal(signal.SIGVTALRM, stop)
        signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)
