"""Where one-shot augmentation wins and where not: three real tasks, with seeds and intervals.

digits      shifted digits, three learners
qm9         molecules with their atoms in any order; molecules: how they are read
rotations   water in any orientation
study       what they share: options, seeds in parallel, tables, files
"""
