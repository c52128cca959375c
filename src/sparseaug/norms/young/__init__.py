"""S_n and A_n: the norm of every irrep, whose blocks are made by Clausen's recursion.

symmetric  the norm of all irreps, and degree by degree
pairs      degree 2 alone, for n in the dozens
clausen    all blocks of S, from coset to coset
cosets     the cosets that hold an element, and what the climb over them rounds
induction  one step of it, from S_(l-1) to S_l
"""
