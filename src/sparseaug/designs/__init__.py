"""S by design: better than luck, exact where it counts, at no oracle call.

design         the best known S for a group
choose         the smallest S for an error, by the spectrum of a model
sizes          how many elements an error takes: draws, and the search for the smallest set
thin           the best m elements of a pool
inspect        what a given list of elements misses: its findings in sentences, and what to use instead
records        what is known for a group, as a table
constructions  every way to make S, one family in a file, and the best known sets
selection      the best of all that is known or found, by what a spectrum predicts
prediction     the objective of a spectrum
places         sets for functions of an order, by which places interact
worst_case     the objective of the worst function
low_degree     the objectives of functions of low degree
rotation_search  rotations, which move continuously
"""

from sparseaug.designs.choose import Choice, choose
from sparseaug.designs.constructions import Design
from sparseaug.designs.design import design
from sparseaug.designs.inspect import Inspection, inspect
from sparseaug.designs.instead import Instead
from sparseaug.designs.records import Records, records
from sparseaug.designs.thin import thin

__all__ = [
    "Choice",
    "Design",
    "Inspection",
    "Instead",
    "Records",
    "choose",
    "design",
    "inspect",
    "records",
    "thin",
]
