"""Norms with a proof.

verified  the spectral norm of a matrix, by a Cholesky factorisation with every rounding added
lanczos   the norm of an operator that is never formed, certain or with a stated probability
"""
