"""Norms with a proof.

verified  the spectral norm of a matrix, by a Cholesky factorisation with every rounding added
cholesky  that factorisation, in place
lanczos   the norm of an operator that is never formed, certain or with a stated probability
threads   how many BLAS threads a block is worth
"""
