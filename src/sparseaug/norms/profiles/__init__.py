"""`profile(S)`: the norm of D_S and its mean square, degree by degree.

profile    profile(S): the way for the group
result     what is known of each degree and of each irrep
counting   mean squares as exact rationals: characters summed over the quotients
young      norms by degree on S_n and A_n
shifts     norms by degree or frequency on abelian groups; dihedral groups by frequency
blocks     groups whose irreps are known, one by one: B_n, products
cyclotomic whether a sum of roots of unity is 0, in integers
"""
