"""What accuracy can be promised of a frozen network, over all turns and mirror images of a photograph?

EfficientNet-Lite0 with ImageNet weights and a linear head that is fitted to CIFAR-10 as it is. On
photographs as they are its accuracy is one number. Over the eight turns and mirror images it is another:
certain, where all pairs are tried, or with probability 0.95 from 1,000 of them. Over a pipeline of
crops, small turns and colours, which nobody can try whole, draws are all there is.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sparseaug as sa
from studies.store.cases import turned_photographs

TRAIN, TEST, CALLS, DELTA = 1500, 500, 1000, 0.05


def measure(data: Path) -> dict[str, Any]:
    """Accuracy as they are, over D4 by draws and by all pairs, averaged, and over a pipeline."""
    case = turned_photographs(data, train=TRAIN, test=TEST)

    def features(x: Any) -> Any:
        with torch.no_grad():
            parts = [case.function(part) for part in torch.as_tensor(x).split(50)]
        return torch.cat(parts).numpy()

    head = make_pipeline(StandardScaler(), LogisticRegression(C=1e-3, max_iter=500))
    head.fit(features(case.x[:TRAIN]), case.y[:TRAIN])
    x, y = case.x[TRAIN:], case.y[TRAIN:]
    predict = lambda x: head.predict(features(x))  # noqa: E731
    drawn = sa.audit_risk(predict, (x, y), case.action, calls=CALLS, delta=DELTA)
    every = case.action.group.all_elements()
    scores = np.stack([head.predict_proba(features(case.action(g[None], x)[0])) for g in every])
    right = scores.argmax(axis=2) == y
    crop = sa.random_affine(degrees=20, translate=0.1, scale=(0.8, 1.2))
    pipeline = sa.product_action(sa.random_color(0.3, 0.3, 0.3), crop)
    random = sa.audit_risk(predict, (torch.tensor(x), y), pipeline, calls=CALLS, delta=DELTA)
    return {
        "upright": float(right[_identity(case.action.group, every)].mean()),
        "over_all": float(right.mean()),
        "all_pairs": int(right.size),
        "averaged_over_all": float((scores.mean(axis=0).argmax(axis=1) == y).mean()),
        "drawn": {"estimate": drawn.estimate, "at_least": drawn.at_least, "calls": CALLS},
        "hoeffding": drawn.estimate - math.sqrt(math.log(1 / DELTA) / (2 * CALLS)),
        "pipeline": {"estimate": random.estimate, "at_least": random.at_least, "calls": CALLS},
    }


def _identity(group: sa.groups.Group, every: Any) -> int:
    return int(np.flatnonzero((every == group.identity()).all(axis=1))[0])
