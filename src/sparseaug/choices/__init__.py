"""The order of answers: multiple-choice questions asked in a few chosen orders of their options.

answers  orders, scores put back to the options, their spectrum and a test of position bias
epochs   the orders as a solver of inspect_ai, one for each epoch
"""

from sparseaug.choices.answers import Answers, answer_orders, answer_spectrum, ask, position_bias

__all__ = ["Answers", "answer_orders", "answer_spectrum", "ask", "position_bias"]
