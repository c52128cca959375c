"""Abelian groups: the largest mean of a character.

characters        the norm, for any moduli
character_blocks  all characters by a product of two matrices
character_fft     all characters by the fast Fourier transform
walsh             sign flips, exactly (hadamard: the transform)
roots             roots of unity and means of characters with proved errors
"""
