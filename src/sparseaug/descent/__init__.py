"""Gradient descent on a risk: none, full, streaming and one-shot in one loop.

loop        descend: the loop, its best iterate and its trace
trace       what was seen along the way
checkpoint  stop anywhere, go on to the same bits
"""

from sparseaug.descent.loop import NonFiniteError, Run, box, descend
from sparseaug.descent.trace import Trace

__all__ = ["NonFiniteError", "Run", "Trace", "box", "descend"]
