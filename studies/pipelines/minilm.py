"""The forward pass of all-MiniLM-L6-v2, from its weights: mean of the last layer over the tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn

_HEADS = 12


class MiniLM:
    """ids (n, L), 0 for no token, to embeddings (n, 384) of unit length."""

    def __init__(self, path: Path) -> None:
        self.weights = load_file(path / "model.safetensors")
        names = [name for name in self.weights if name.startswith("encoder.layer.")]
        self.layers = 1 + max(int(name.split(".")[2]) for name in names)

    def __call__(self, ids: Any) -> Any:
        """Positions are those of the tokens that are left, as after a tokenizer."""
        ids = torch.as_tensor(np.asarray(ids))
        order = (ids == 0).to(torch.int8).sort(dim=1, stable=True).indices
        ids = ids.gather(1, order)
        mask = ids > 0
        w, e = self.weights, "embeddings."
        x = w[e + "word_embeddings.weight"][ids] + w[e + "token_type_embeddings.weight"][0]
        x = self._norm(e + "LayerNorm", x + w[e + "position_embeddings.weight"][: ids.shape[1]])
        for layer in range(self.layers):
            x = self._layer(f"encoder.layer.{layer}.", x, mask)
        mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return nn.functional.normalize(mean).numpy()

    def _layer(self, at: str, x: Any, mask: Any) -> Any:
        q, k, v = (
            self._linear(f"{at}attention.self.{name}", x)
            .unflatten(-1, (_HEADS, -1))
            .transpose(1, 2)
            for name in ("query", "key", "value")
        )
        seen = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None])
        seen = self._linear(at + "attention.output.dense", seen.transpose(1, 2).flatten(2))
        x = self._norm(at + "attention.output.LayerNorm", x + seen)
        inner = nn.functional.gelu(self._linear(at + "intermediate.dense", x))
        return self._norm(at + "output.LayerNorm", x + self._linear(at + "output.dense", inner))

    def _linear(self, at: str, x: Any) -> Any:
        return nn.functional.linear(x, self.weights[at + ".weight"], self.weights[at + ".bias"])

    def _norm(self, at: str, x: Any) -> Any:
        w = self.weights
        return nn.functional.layer_norm(x, x.shape[-1:], w[at + ".weight"], w[at + ".bias"], 1e-12)
