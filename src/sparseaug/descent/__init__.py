"""Gradient descent on a risk: none, full, streaming and one-shot in one loop.

loop        descend: the loop, its best iterate and its trace
state       what changes along the way, and what stops a run
trace       what a run saw along the way
checkpoint  stop anywhere, resume to the same bits
identity    what the iterates of a run depend on
"""

from sparseaug.descent.checkpoint import Checkpoint
from sparseaug.descent.loop import Box, Run, descend
from sparseaug.descent.state import NonFiniteError
from sparseaug.descent.trace import Trace

__all__ = ["Box", "Checkpoint", "NonFiniteError", "Run", "Trace", "descend"]
