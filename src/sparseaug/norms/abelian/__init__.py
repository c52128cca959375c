"""Abelian and dihedral groups: means of characters, all of them or those of low weight.

characters  the largest mean of a character: proposed by a fast pass, enclosed by definition
products    all characters as products of two matrices
ffts        all characters by the fast Fourier transform
roots       roots of unity and means of characters, with proved errors
dihedral    signs and turns
walsh       sign flips, exactly
hadamard    the Walsh-Hadamard transform in place
low_weight  the characters with few non-zero frequencies
"""
