"""Rotations and reflections: norms by degree, mean squares, a theorem for all degrees.

bands    the blocks of Wigner's matrices up to a degree, and degree by degree
squares  mean squares of rows of integers, as fractions
primes   integer quaternions of a prime norm: a norm without a band limit
"""
