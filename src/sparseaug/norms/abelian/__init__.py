"""Abelian groups: means of characters, all of them or those of low weight.

characters  the largest mean of a character
products    all characters as products of two matrices
roots       roots of unity, with proved errors
walsh       sign flips, exactly
low_weight  the characters with few non-zero frequencies
"""
