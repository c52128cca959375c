"""One search, for every objective: greedy choice, then exchange.

objectives what a search minimises: a kernel between elements, or an energy of its own
measured   a kernel that was measured on a list of candidates
search     the greedy choice and the exchange, over places in a list or by small moves
"""

__all__: list[str] = []
