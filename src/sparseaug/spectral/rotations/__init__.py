"""Rotations: norms with a band limit, and without one for integer quaternions of a prime norm.

bands    blocks of l <= L: Wigner's matrices averaged over S, with their error
counts   mean squares from characters, exact where rows are integers
primes   the theorem of Lubotzky, Phillips and Sarnak
"""
