"""The risk of a module over S, and training on it.

module_risk   R_n^S of any module: value and flat gradient, one process or many; over fresh elements too
tiles         which copies are computed at once
trial         whether module and loss are a mean over samples, and a function of theta alone
fit           ordinary optimisers on either
identity      what a risk depends on, for checkpoints
certified     certificates: exact, and audited by fresh elements
"""
