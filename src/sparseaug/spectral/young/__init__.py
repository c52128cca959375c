"""Symmetric and alternating groups, by Young's orthogonal form.

symmetric    the norm: blocks verified one by one
clausen      the blocks of all irreps by Clausen's recursion
induction    from the blocks of S_(n-1) to those of S_n, by SciPy or on a device of torch's
young_numba  the inner loops compiled
"""
