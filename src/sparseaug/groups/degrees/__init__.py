"""What a degree is: the blocks that the functions on a group fall into, family by family.

blocks      `Degrees`: labels, degrees, characters; irreps one by one
abelian     characters by weight or frequency
shapes      S_n and A_n: partitions
bands       rotations: l, or the frequency
points      groups that permute points: functions of k points at a time
factors     direct products: tensor products, sets of factors

`Group.degrees()` gives the blocks of a group; norms, profiles, plans, designs and spectra ask it.
"""

from sparseaug.groups.degrees.blocks import Degrees, IrrepDegrees
from sparseaug.groups.degrees.counts import Degree

__all__ = ["Degree", "Degrees", "IrrepDegrees"]
