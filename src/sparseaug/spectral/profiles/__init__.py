"""`profile(S)`: the norm of D_S and its mean square, degree by degree.

profile    profile(S): the way for the group
result     what is known of each degree and of each irrep
quotients  the m^2 quotients of S, counted; those of a coset of a subgroup are its elements
counting   mean squares as exact rationals: characters summed over the quotients
young      norms by degree on S_n and A_n
pairs      the norm on degree 2 of S_n above n = 12
shifts     norms by degree or frequency on abelian groups; dihedral groups by frequency
blocks     groups whose irreps are known, one by one: B_n, products
cyclotomic whether a sum of roots of unity is 0, in integers
"""
