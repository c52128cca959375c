"""Data sets and what feeds them to a loader.

one_shot   all n m copies by an index map
streaming  a fresh, counted element for every item and epoch
samplers   which copies share a batch; loader: a loader that resumes anywhere; state: whose state it is
items      the parts of an item, moved
"""
