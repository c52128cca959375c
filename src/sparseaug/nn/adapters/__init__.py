"""S in other libraries' pipelines, by their conventions and without importing them.

by_content  which element of S: a function of (seed, epoch, content), for what sees no index
vision      a transform in the manner of torchvision v2
graphs      a transform in the manner of PyTorch Geometric
lightning   a callback for Lightning's trainer
"""

from sparseaug.nn.adapters.graphs import RelabelNodes
from sparseaug.nn.adapters.lightning import SymmetryCallback
from sparseaug.nn.adapters.vision import OrbitTransform

__all__ = ["OrbitTransform", "RelabelNodes", "SymmetryCallback"]
