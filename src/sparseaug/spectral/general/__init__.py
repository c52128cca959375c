"""Every other group, and restricted norms.

irreps          groups whose irreps are known, block by block (tensors: large irreps of products)
dihedral        two Fourier transforms
regular         any group that can be enumerated
tuples          functions of a few coordinates at a time: permutations, abelian groups
coordinates     the same for direct products and signed permutations
representation  the irreps that occur in a given linear action
"""
