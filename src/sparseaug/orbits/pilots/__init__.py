"""How the gradient of a risk varies over the group: which m an accuracy takes, from data.

pilot       pilot(risk, theta, oracle): the spectrum of the gradient
result      Pilot: what any S leaves, constants, files
rows        pilot.plan(eps): draws, designs, steps and work beside the paper's bound
smoothness  the largest curvature at theta, from a few gradients
"""

from sparseaug.orbits.pilots.pilot import pilot
from sparseaug.orbits.pilots.result import Pilot
from sparseaug.orbits.pilots.rows import PilotPlan, PilotRow

__all__ = ["Pilot", "PilotPlan", "PilotRow", "pilot"]
