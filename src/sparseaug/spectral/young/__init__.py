"""Symmetric and alternating groups, by Young's orthogonal form.

symmetric      the norm: blocks verified one by one
clausen        the blocks of all irreps by Clausen's recursion
induction      from the blocks of S_(n-1) to those of S_n
kernels_numba  the inner loops compiled; kernels_scipy: the same without a compiler
kernels_torch  the same on a device
steps_numba    the same, compiled by numba
"""
