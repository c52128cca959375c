"""How many views? The error of averaging over m views, and what it does to the score.

table         the list of tasks
case          what a task is
orbit         a model on whole orbits, and the exact mean
schemes       draws, distinct draws, designs; digits, ... have those of the field
measured      every scheme at every m
needed        how many views are needed, and where the field leaves less
summary       the public table, predictions next to measurements, panels; rows: the table as a file
models        learners; qm9: a reader of molecules
digits, photographs, atoms, graphs, columns, water: the tasks
"""
