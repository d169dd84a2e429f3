"""Print how many wrong answers to each lab are refused: `python -m tools.lab_mutants`, with names of labs for some."""

from __future__ import annotations

import argparse

import torch

from tools.lab_mutants.measure import score
from tools.lab_mutants.sources import LABS


def main() -> None:
    """Judge all mutants of the labs that are asked for, and list those that are accepted or misjudged."""
    parser = argparse.ArgumentParser(prog="python -m tools.lab_mutants", description=__doc__)
    parser.add_argument("labs", nargs="*", choices=[*LABS, []], help="all labs by default")
    parser.add_argument("--most", type=int, default=None, help="mutants a lab at most; all by default")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(
        f"{'lab':10}{'mutants':>9}{'equivalent':>12}{'wrong':>7}{'refused':>9}{'right reason':>14}{'cause named':>13}"
    )
    for lab in options.labs or LABS:
        found = score(lab, options.most)
        wrong, accepted, misjudged = len(found.judged), found.accepted, found.misjudged
        refused, reason = wrong - len(accepted), wrong - len(accepted) - len(misjudged)
        print(
            f"{lab:10}{found.made:9}{found.equivalent:12}{wrong:7}{refused / wrong:9.1%}{reason / wrong:14.1%}"
            f"{found.named / wrong:13.1%}",
            flush=True,
        )
        for told, each in [*(("accepted", one) for one in accepted), *(("misjudged", one) for one in misjudged)]:
            print(f"  {told}: {each.target.name}, {each.mutant.change}; lacks {', '.join(sorted(each.lacks))}")
            print(f"    {each.verdict.message}")
            print("    " + each.mutant.source.replace("\n", "\n    "))


if __name__ == "__main__":
    main()
