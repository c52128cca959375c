"""The risk of a module over S.

module_risk   R_n^S of any module: value and flat gradient, one process or many
tiles         which copies are computed at once
trial         whether module and loss are a mean over samples, and a function of theta alone
certified     certificates: exact, and audited by fresh elements
"""
