"""The risk of a module over S, and training on it.

module_risk     R_n^S of any module: value and flat gradient; one process or many
streaming_risk  the same over fresh elements at every step
fit             ordinary optimisers on either
certified       certificates: exact, and audited by fresh elements
largest         a limit on single gradients from the layers
requirements    what is tried when a risk is built
chunks          which copies are computed where; ranks: torch.distributed
"""
