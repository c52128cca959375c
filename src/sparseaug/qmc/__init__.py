"""Orders and signs for everyone: integer arrays that are more even than random ones. NumPy alone.

orders    orders(n, m): orders of n items, in five balances
middle    pairs of reverses, every item of three in the middle equally often
places    Latin squares: positions, pairs of places, neighbours, chains of first items
signs     signs(d, m): orthogonal arrays, any m
report    what a set of orders averages exactly, and what it leaves compared with random ones
engines   orders, signs and rotations in the style of `scipy.stats.qmc`
binary    orthogonal arrays of signs
field     GF(q) to q = 1,024
"""

from sparseaug.qmc.engines import Permutations, Rotations, Signs
from sparseaug.qmc.orders import orders
from sparseaug.qmc.report import OrdersReport, orders_report
from sparseaug.qmc.signs import signs

__all__ = [
    "OrdersReport",
    "Permutations",
    "Rotations",
    "Signs",
    "orders",
    "orders_report",
    "signs",
]
