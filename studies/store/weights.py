"""The network's weights as safetensors, read by torch's restricted reader.

python -m studies.store.weights FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file


def main() -> None:
    """The one .pth of the folder, as lite0.safetensors beside it."""
    folder = Path(sys.argv[1])
    (source,) = folder.glob("*_model/models/*.pth")
    weights = torch.load(source, weights_only=True)
    save_file(
        {name: one.contiguous() for name, one in weights.items()}, folder / "lite0.safetensors"
    )


if __name__ == "__main__":
    main()
