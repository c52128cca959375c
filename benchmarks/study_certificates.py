"""No certificate below the truth: every seed, method and evaluation of a finished experiment.

    sparseaug reproduce --out paper && python benchmarks/study_certificates.py paper

For each iterate that `reproduce` evaluated, the kinds of certificate that apply to its method are
compared with the exact full-gradient norm of results.json. Each bound must be at least that.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from sparseaug.archive import load_json
from sparseaug.certificate import Evidence, certify
from sparseaug.experiments import Config, Folder
from sparseaug.experiments.problem import Problem


def main() -> None:
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "paper")
    results = load_json(path / "results.json")
    config = Config.from_dict(results["config"])
    files = Folder(path, config)
    checked: dict[str, int] = {}
    below: dict[str, int] = {}
    tightest: dict[str, float] = {}
    for seed in track(range(config.seeds), description="certifying", transient=True):
        problem = Problem(config, seed)
        full = problem.full_risk(problem.train)
        for method in config.methods:
            S = problem.sample(int(method.split("-")[-1])) if "one-shot" in method else None
            kind: Any = S if S is not None or method == "none" else method
            evidence = Evidence(problem.model, problem.train, problem.action, kind, full=full)
            iterates = files.load_part(seed, method).arrays["theta"]
            truths = np.array(results[method]["gradient_norm"][seed])
            for theta, truth in zip(iterates, truths, strict=True):
                for name, certificate in certify(theta, evidence).items():
                    key = f"{method}, {name}"
                    checked[key] = checked.get(key, 0) + 1
                    # the truth is itself a computed number, good to twelve digits
                    below[key] = below.get(key, 0) + (certificate.bound < truth * (1 - 1e-12))
                    ratio = certificate.bound / truth
                    tightest[key] = min(tightest.get(key, np.inf), ratio)
    for key, count in checked.items():
        print(f"{key:<24} {count:>5} bounds, {below[key]} below; tightest {tightest[key]:.3g}x")
    print(f"{sum(checked.values())} bounds, {sum(below.values())} below the full-gradient norm")


if __name__ == "__main__":
    main()
