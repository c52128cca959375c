"""The table of best known sets: how they are searched for, bounded, checked and shown.

table          the files: read, merge what is better, write
permutations   sets that move tuples evenly, as unions of cosets
orders         orders with even middles, or even neighbours
groups, cells  groups by generators; annealing, for both
deviations     least norms: permutations, shifts, grids, dihedral and signed groups, sign flips
signs          orthogonal arrays of signs
rotations      rotations of space, by least squares and gradient
products       orders of classes beside orders of columns
bounds         what no set can beat
check          every record verified from its rows alone (`make records`)
page           the page and its pictures
"""
