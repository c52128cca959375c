"""How many views? The error of averaging over m views, and what it does to the score, on real data.

table         the list of tasks
case          what a task is
orbit         a model on whole orbits, and the exact mean
schemes       draws, distinct draws, designs; digits, ... have those of the field
measured      every scheme at every m
summary       rows of a table that others can add to; views needed; panels
models        learners; qm9: a reader of molecules
digits, photographs, atoms, graphs, columns, water: the tasks
"""
