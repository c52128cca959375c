"""The network's weights as safetensors, read by torch's restricted reader.

python -m studies.store.weights FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file

folder = Path(sys.argv[1])
(source,) = folder.glob("*_model/models/*.pth")
weights = torch.load(source, weights_only=True)
save_file({name: one.contiguous() for name, one in weights.items()}, folder / "lite0.safetensors")
