"""What can be drawn: a group's uniform distribution, and others that are no group.

base        what every distribution can do; a `Group` is one
seeds       seeds of a pipeline's randomness
ranges      independent parameters, each uniform in an interval
independent several distributions side by side
described   a distribution from its JSON data
"""
