"""The scores of an experiment as a table for a paper (LaTeX) or a page (Markdown)."""

from __future__ import annotations

from collections.abc import Sequence

from rlviz.analysis.best_first import best_first
from rlviz.analysis.experiments.across import Across, normalisation
from rlviz.analysis.experiments.results import ExperimentResults
from rlviz.analysis.experiments.scores import VariantScores
from rlviz.analysis.numbers import brief, decimal, ends
from rlviz.domain.plain_text import chat_text, visible

NOTHING = "–"
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    "−": "$-$",
}
METHOD_HEAD = ["method", "scores", "IQM", "95 % interval", "median", "quartiles", "mean", "optimality gap"]
_MARKDOWN = "\\`*_{}[]<>|#&~!$"


def head(results: ExperimentResults) -> list[str]:
    columns = ["variant", *([] if results.across is None else ["environment"]), "seeds"]
    columns += ["IQM", "95 % interval", "median", "quartiles", "mean", "std"]
    if _has_thresholds(results):
        columns += ["optimality gap", "reached", "steps to threshold"]
    return columns


def rows(results: ExperimentResults) -> list[list[str]]:
    """The cells of each variant, best first, in the order of ``head``; those without scores come last."""
    thresholds = {one.variant: one for one in (results.thresholds.variants if results.thresholds else ())}
    with_thresholds = _has_thresholds(results)
    found = []
    for one in best_first(results.variants, lambda one: one.rank):
        cells = [one.label, *([] if results.across is None else [one.environment]), str(one.n)]
        cells += [_cell(one.iqm), _interval(one), _cell(one.median), _quartiles(one), _cell(one.mean), _cell(one.std)]
        if with_thresholds:
            steps = thresholds.get(one.variant)
            cells += [
                _cell(one.optimality_gap),
                f"{steps.reached} of {steps.n}" if steps else NOTHING,
                NOTHING if steps is None or steps.median is None else brief(steps.median),
            ]
        found.append(cells)
    return found


def method_rows(across: Across) -> list[list[str]]:
    """The cells of each method, best first, in the order of ``METHOD_HEAD``."""
    return [
        [
            *(one.label, str(one.n), _cell(one.iqm), _interval(one), _cell(one.median), _quartiles(one)),
            *(_cell(one.mean), _cell(one.optimality_gap)),
        ]
        for one in best_first(across.methods, lambda one: one.rank)
    ]


def markdown(results: ExperimentResults) -> str:
    lines = []
    if results.across is not None and results.across.methods:
        lines = [*_markdown_table(METHOD_HEAD, method_rows(results.across)), ""]
        lines += [_plain(normalisation(results.across.environments)), ""]
    lines += _markdown_table(head(results), rows(results))
    return "\n".join([*lines, "", f"{_plain(caption(results))}", ""])


def latex(results: ExperimentResults) -> str:
    """Needs the package booktabs."""
    text = caption(results)
    lines = [r"\begin{table}", r"  \centering"]
    if results.across is not None and results.across.methods:
        lines += [*_tabular(METHOD_HEAD, method_rows(results.across)), r"  \par\medskip"]
        text = f"{normalisation(results.across.environments)} {text}"
    lines += [*_tabular(head(results), rows(results)), rf"  \caption{{{_tex(text)}}}", r"\end{table}"]
    return "\n".join([*lines, ""])


def _markdown_table(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    lines = [_row(columns), _row(["---"] + ["---:"] * (len(columns) - 1))]
    return lines + [_row([_plain(cell) for cell in row]) for row in cells]


def _tabular(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    return [
        rf"  \begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}",
        r"    \toprule",
        f"    {_tex_row(columns)}",
        r"    \midrule",
        *(f"    {_tex_row(row)}" for row in cells),
        r"    \bottomrule",
        r"  \end{tabular}",
    ]


def caption(results: ExperimentResults) -> str:
    """What the table shows, and how it was made."""
    resamples = max((one.made["iqm"].resamples or 0 for one in results.variants), default=0)
    text = f"A score is {results.score_definition}. IQM: interquartile mean over seeds"
    if resamples:
        text += f", with its 95 % percentile interval by bootstrap ({resamples:,} resamples)"
    if _has_thresholds(results):
        goal = "the threshold of each environment"
        if results.threshold is not None:
            goal = f"a return of {decimal(results.threshold)}"
        text += (
            f". Steps to threshold: Kaplan-Meier median of the steps to {goal}; "
            f"{NOTHING} where fewer than half of the seeds have got there"
        )
    return f"{text}. {results.verdict.headline}"


def _has_thresholds(results: ExperimentResults) -> bool:
    return any(one.threshold is not None for one in results.variants)


def _interval(one: VariantScores) -> str:
    return ends(one.low, one.high) if one.n else NOTHING


def _quartiles(one: VariantScores) -> str:
    if one.lower_quartile is None or one.upper_quartile is None:
        return NOTHING
    return f"{decimal(one.lower_quartile)} to {decimal(one.upper_quartile)}"


def _cell(value: float | None) -> str:
    return NOTHING if value is None else decimal(value)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    words = chat_text(" ".join(text.split()))
    return "".join(f"\\{letter}" if letter in _MARKDOWN else letter for letter in words)


def _tex_row(cells: Sequence[str]) -> str:
    row = " & ".join(_tex(cell) for cell in cells)
    # What ends the line before would take a first "[" for an optional length, or "*" for its starred form.
    return f"{'{}' if row.startswith(('[', '*')) else ''}{row} \\\\"


def _tex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in visible(" ".join(text.split())))
