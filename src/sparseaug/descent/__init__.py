"""Gradient descent on a risk: none, full, streaming and one-shot in one loop.

loop        descend: the loop, its best iterate and its trace
state       what changes along the way, and what stops a run
arguments   what `descend` takes, checked once
trace       what was seen along the way
checkpoint  stop anywhere, resume to the same bits
identity    what run a checkpoint is of
"""

from sparseaug.descent.loop import Run, box, descend
from sparseaug.descent.state import NonFiniteError
from sparseaug.descent.trace import Trace

__all__ = ["NonFiniteError", "Run", "Trace", "box", "descend"]
