"""`profile(S)`: the norm of D_S and its mean square, degree by degree.

profile     profile(S): the way for the group
result      what is known of each degree and of each irrep
levels      from bounds of norms and counts to the levels of a profile
shifts      norms by degree or frequency on abelian groups
irreps      groups whose irreps are known, one by one: B_n, products
weighted    weighted means, to judge other people's quadratures
cyclotomic  whether a sum of roots of unity is 0, in integers
"""
