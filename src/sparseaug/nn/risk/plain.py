"""Whether a module computes exactly what its type says.

Asked of every layer and loss before anything is derived from its type. A module can carry hooks, methods
and attributes of its own, so it is compared with a new one of the same arguments; classes and functions
of torch can be replaced while a program runs, so their code must be in torch's own files; and hooks and
modes of the whole process see every call.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from numbers import Number
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.modules import module as modules
from torch.overrides import _get_current_function_mode_stack
from torch.utils._device import DeviceContext
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

_TORCH = str(Path(torch.__file__).parent / "_")[:-1]
_HOOKS = "forward_hooks", "forward_pre_hooks", "backward_hooks", "backward_pre_hooks"
_SPACES: tuple[Any, ...] = functional, torch, torch._C._nn, torch._VF, Tensor
_ALIASES = {"F": functional, "torch": torch, "_VF": torch._VF}
"""What torch's own modules call these spaces."""
_CALLED = (  # by the layers and losses that have a rule; others of torch are replaced by packages
    *("conv1d", "conv2d", "conv3d", "pad", "batch_norm", "linear", "relu", "relu_", "tanh"),
    *("log_softmax", "max_pool2d", "flatten", "dropout", "mean"),
    *("mse_loss", "huber_loss", "cross_entropy", "cross_entropy_loss", "broadcast_tensors"),
)
_TENSORS = "_parameters", "_buffers"
_NAMING = {"__init__", "__doc__", "__module__", "__annotations__", "extra_repr"}
# arguments that no attribute is named by
_UNKEPT = {"args", "kwargs", "dtype", "size_average", "reduce"}


def change_of_torch() -> str | None:
    """What stands between a layer and torch's own function in the whole process, or None."""
    return next(_changes_of_torch(), None)


def change_of(module: nn.Module) -> str | None:
    """What a module carries that its type does not tell, or None.

    A subclass of nn.Sequential may name its layers and must leave all else as it is.
    """
    kind = type(module)
    known = nn.Sequential if isinstance(module, nn.Sequential) else kind
    return next((f"{kind.__name__} has {change}" for change in _changes(module, known)), None)


def is_plain(tensor: Any) -> bool:
    """Whether it is a dense tensor or parameter, without methods of its own."""
    return (
        type(tensor) in (Tensor, nn.Parameter)
        and tensor.layout is torch.strided
        and not any(hasattr(Tensor, name) for name in vars(tensor))
    )


def _changes_of_torch() -> Iterator[str]:
    yield from (f"torch has global {name}" for name in _HOOKS if vars(modules)[f"_global_{name}"])
    for mode in (*_get_current_function_mode_stack(), *_get_current_dispatch_mode_stack()):
        if not isinstance(mode, DeviceContext):  # that of torch.set_default_device
            yield f"the mode {type(mode).__name__} is active"
    if torch._C._autograd._top_saved_tensors_default_hooks(True):
        yield "hooks on saved tensors are active"
    for name in getattr(
        torch.library, "_impls", ()
    ):  # kernels from Python; torch has some of its own
        if (
            name.startswith("aten/")
            and "/_foreach" not in name
            and name[-4:] not in ("Meta", "/MPS")
        ):
            yield f"the kernel {name} was replaced"
    yield from (f"torch.nn.functional has {change}" for change in _changed_aliases(functional))
    for space in _SPACES:
        for name in _CALLED:
            value = getattr(space, name, None)
            if getattr(value, "__name__", name) != name or not _is_from_torch(value):
                yield f"{space.__name__}.{name} was replaced"


def _changed_aliases(module: Any) -> Iterator[str]:
    for name, space in _ALIASES.items():
        if vars(module).get(name, space) is not space:
            yield f"another module as {name}"


def _is_from_torch(value: Any) -> bool:
    code = getattr(value, "__code__", None)
    home = type(value).__module__.partition(".")[0]
    return home in ("builtins", "torch") if code is None else code.co_filename.startswith(_TORCH)


def _is_of(kind: type, made: Any) -> bool:
    """Whether it is not the method of another class; torch.compile wraps some in functions."""
    home = getattr(made, "__qualname__", "").rpartition(".")[0]
    return home in ("", kind.__qualname__) or home.endswith("<locals>")


def _changes(module: nn.Module, known: type[nn.Module]) -> Iterator[str]:
    """What differs from a new module of the known type."""
    try:
        usual = vars(_build(module, known))
    except (AttributeError, TypeError, ValueError, RuntimeError) as error:
        yield f"attributes that no {known.__name__} has ({error})"
        return
    inside = {name for part in _TENSORS for name in usual[part]}
    for base in type(module).__mro__[:-1]:
        if base in known.__mro__:
            yield from _changed_aliases(sys.modules[base.__module__])
        for name, value in vars(base).items():
            made = getattr(value, "fget", None) or getattr(value, "__func__", value)
            if base in known.__mro__:
                active = callable(made) or hasattr(made, "__get__")
                if active and not (_is_from_torch(made) and _is_of(base, made)):
                    yield f"a class whose {name} was replaced"
            elif name not in _NAMING and (name in usual or name in dir(known)):
                yield f"a {name} of its own"
    own = vars(module)
    for name, value in own.items():
        if name.removeprefix("_") in _HOOKS and value:
            yield "hooks"
        elif name not in usual and (name in inside or hasattr(known, name)):
            yield f"a {name} of its own"
    for name, value in usual.items():
        if name in _TENSORS:
            yield from _changes_of_tensors(own[name], value)
        elif name == "_modules":
            if known is not nn.Sequential and own[name]:
                yield f"parts {', '.join(own[name])}"
        elif name != "training" and "persistent" not in name and "state_dict" not in name:
            given = own.get(name, ...)
            if not isinstance(given, Number | str | tuple | list | dict | None) or given != value:
                yield f"a changed {name}"


def _changes_of_tensors(own: dict[str, Any], usual: dict[str, Any]) -> Iterator[str]:
    for name in own.keys() ^ usual.keys():
        yield f"{'a' if name in own else 'no'} tensor {name}"
    for name, tensor in own.items():
        like = usual.get(name)
        if tensor is None or like is None:
            if tensor is not like:
                yield f"a changed {name}"
        elif not is_plain(tensor) or isinstance(tensor, nn.Parameter) != isinstance(
            like, nn.Parameter
        ):
            yield f"a {name} that is not a plain tensor"
        elif tensor.shape != like.shape:
            yield f"a {name} of shape {tuple(tensor.shape)}, not {tuple(like.shape)}"
        elif tensor.dtype != (torch.float64 if like.is_floating_point() else like.dtype):
            yield f"a {name} of {tensor.dtype}"


def _build(module: nn.Module, known: type[nn.Module]) -> nn.Module:
    """A new module of the arguments that this one has as attributes, without memory."""
    arguments: dict[str, Any] = {}
    for name in inspect.signature(known).parameters:
        if name == "device":
            arguments[name] = "meta"
        elif name == "bias":
            arguments[name] = module._parameters["bias"] is not None
        elif name not in _UNKEPT:
            arguments[name] = getattr(module, name)
    return known(**arguments)
