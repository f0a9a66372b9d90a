"""Build the HTML of a run's report.

The file opens from disk, loads nothing, and runs one script, and only if it has a film. All text is escaped when it is
written. ``report.css`` and ``report.js`` lie beside this module.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from xml.etree.ElementTree import Element

from rlviz.domain.plain_text import json_text
from rlviz.server.exchange.report.story import (
    Advice,
    Cell,
    Curve,
    Event,
    Events,
    Figure,
    Film,
    Head,
    Points,
    Repeat,
    Seeds,
    Setting,
    Settings,
    Story,
    Verdict,
)
from rlviz.stats.number_text import brief_number, decimal
from rlviz.stats.report_page import (
    NARROW,
    Child,
    Frame,
    document,
    element,
    for_both,
    frame,
    path,
    picture,
    table,
    titled,
)

STYLE, SCRIPT = (Path(__file__).with_name(name) for name in ("report.css", "report.js"))
HEIGHT, NARROW_HEIGHT = 340.0, 300.0
MARK_RADIUS = 8.0


def page_policy(*, film: bool) -> str:
    """Return the content security policy that the page sets for itself, wherever it is opened."""
    parts = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "style-src 'unsafe-inline'"]
    parts.append("img-src data:")
    if film:
        digest = base64.b64encode(hashlib.sha256(SCRIPT.read_bytes()).digest()).decode()
        parts += ["media-src blob:", f"script-src 'sha256-{digest}'"]
    return "; ".join(parts)


def header_policy(*, film: bool) -> str:
    """Return the content security policy of the HTTP response: that of the page, and a sandbox without the service's
    rights."""
    return f"{page_policy(film=film)}; frame-ancestors 'none'; sandbox allow-scripts allow-downloads"


def write_page(story: Story) -> str:
    """Return the report as one HTML document."""
    film = story.film if story.film and story.film.cells else None
    body = [
        element(
            "main",
            element("header", *_head(story.head), class_="head"),
            _verdict(story.verdict),
            _learned(story.curve, film, story.film.notes if story.film else ()),
            *_hints(story.hints),
            *_seeds(story.seeds),
            _settings(story.settings),
            *_events(story.events),
            _repeat(story.repeat, story.head.run_id),
        ),
        element("footer", element("p", story.made)),
    ]
    return document(
        story.head.name,
        page_policy(film=film is not None),
        body,
        style=STYLE.read_text("utf-8"),
        end="" if film is None else _film_data(film, story.curve.end),
    )


def _film_data(film: Film, end: float) -> str:
    """Return the videos as data that is not run, and the script that plays them."""
    cells = [
        {
            "share": _share(cell, end),
            "title": cell.title,
            "says": cell.says,
            "seconds": cell.seconds,
            "video": None if cell.video is None else base64.b64encode(cell.video).decode(),
        }
        for cell in film.cells
    ]
    data = json_text(cells, ascii_only=True).replace("<", "\\u003c")
    script = SCRIPT.read_text("utf-8")
    return f'<script type="application/json" id="film">{data}</script>\n<script>{script}</script>\n'


def _share(cell: Cell, end: float) -> float | None:
    """Return the position of a cell on the axis of the curve, 0 to 1; None if its step is unknown."""
    return None if cell.step is None or end <= 0 else min(1.0, cell.step / end)


def _head(head: Head) -> list[Element]:
    name = element("h1", head.name)
    badge = element("span", head.status, class_=f"badge {head.tone}")
    parts = [
        element("p", "Run report", class_="eyebrow"),
        element("div", name, badge, class_="title"),
        element("ul", *(element("li", fact) for fact in head.facts), class_="facts"),
        element("p", head.ended, class_="ended"),
        *(element("p", origin, class_="about") for origin in head.origins),
    ]
    if head.tags:
        parts.append(element("ul", *(element("li", tag) for tag in head.tags), class_="tags", aria_label="Tags"))
    if head.notes.strip():
        parts.append(element("div", head.notes.strip(), class_="notes"))
    return parts


def _verdict(verdict: Verdict) -> Element:
    return element(
        "section",
        element("h2", "Verdict", class_="quiet"),
        element("p", verdict.headline, class_=f"verdict {verdict.tone}"),
        element("dl", *map(_figure, verdict.figures), class_="figures"),
    )


def _figure(figure: Figure) -> Element:
    value = element("dd", figure.value, class_="value")
    if figure.aside:
        value.append(element("small", f" {figure.aside}"))
    return element(
        "div", element("dt", figure.label), value, *(element("dd", note, class_="note") for note in figure.notes)
    )


def _learned(curve: Curve, film: Film | None, notes: Sequence[str]) -> Element:
    """Return the section with the curve and, beside it, the film."""
    drawn: list[Element] = []
    if curve.episodes or curve.mean or curve.evaluations:
        drawn = [for_both(partial(draw_curve, curve, cursor=film is not None)), _legend(curve)]
    else:
        drawn = [element("p", "No episode has ended yet, so there is no curve.", class_="nothing")]
    if film is None:
        return element("section", element("h2", "How it learned"), *drawn, *_notes(notes), class_="learned")
    slider = element(
        "input",
        type="range",
        min="0",
        max="1000",
        step="1",
        value="1000",
        aria_label="Moment of training: arrow keys choose a policy",
    )
    controls = element("div", slider, class_="controls", hidden="")
    return element(
        "section",
        element("h2", "How it learned"),
        element(
            "div", _stage(film.cells), element("div", *drawn[:1], controls, *drawn[1:], class_="graph"), class_="screen"
        ),
        element("ol", *_strip(film.cells), class_="strip", aria_label="Film", tabindex="0"),
        *_notes(notes),
        class_=f"learned with-film{' single' * (len(film.cells) == 1)}",
        id="learned",
    )


def _notes(notes: Iterable[str]) -> list[Element]:
    return [element("p", note, class_="about") for note in notes]


def _stage(cells: Sequence[Cell]) -> Element:
    """Return the large picture, which shows the newest moment until another one is chosen."""
    newest = cells[-1]
    width, height = next((cell.size for cell in cells if cell.video is not None), newest.size)
    screen = element("div", class_="frame", style=f"aspect-ratio: {width} / {height}")
    screen.append(element("img", alt="", **_source(newest)))
    screen.append(element("video", muted="", playsinline="", loop="", hidden="", tabindex="-1"))
    return element(
        "figure",
        screen,
        element(
            "figcaption",
            element("button", "Play", type="button", class_="play", hidden=""),
            element(
                "span",
                element("strong", newest.title, class_="when"),
                element("span", newest.says, class_="what"),
                aria_live="polite",
            ),
        ),
        class_="stage",
    )


def _source(cell: Cell) -> dict[str, object]:
    if cell.picture is None:
        return {"hidden": ""}
    return {"src": f"data:image/webp;base64,{base64.b64encode(cell.picture).decode()}"}


def _strip(cells: Sequence[Cell]) -> list[Element]:
    known = [cell.figure for cell in cells if cell.figure is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    found = []
    for place, cell in enumerate(cells):
        when = "–" if cell.step is None else brief_number(cell.step)
        parts: list[Child] = [
            element("span", element("img", alt="", **_source(cell)), class_="still"),
            element("span", when, class_="when"),
        ]
        if cell.figure is not None:
            share = (cell.figure - low) / (high - low) if high > low else 1.0
            parts.append(element("strong", decimal(cell.figure), class_="what"))
            parts.append(element("span", class_="bar", style=f"--share: {0.04 + 0.96 * share:.3f}"))
        button = element(
            "button", *parts, type="button", data_cell=place, aria_label=f"{cell.title}: {cell.says}", title=cell.says
        )
        found.append(element("li", button))
    return found


def draw_curve(curve: Curve, width: float, *, cursor: bool = False) -> Element:
    """Draw the return over steps. ``cursor``: with a line that the film moves."""
    height = HEIGHT if width > NARROW else NARROW_HEIGHT
    levels = [level for level in (curve.threshold, curve.random) if level is not None]
    values = [value for _, value in (*curve.episodes, *curve.mean)] + [one.mean for one in curve.evaluations]
    low, high = min(values + levels), max(values + levels)
    margin = (high - low or max(abs(high), 1.0)) * 0.06
    box = frame((0.0, max(curve.end, 1.0)), (low - margin, high + margin), width, height)
    parts = box.drawn("environment steps", "return")
    if curve.forked:
        at = box.x(curve.forked)
        shade = element(
            "rect", x=box.x.start, y=box.y.end, width=at - box.x.start, height=box.y.start - box.y.end, class_="before"
        )
        parts.insert(0, titled(shade, "Before the fork: training of the parent"))
    parts += _levels(curve, box)
    if curve.episodes:
        dots = "".join(f"M{box.x(x):.1f} {box.y(y):.1f}h0" for x, y in curve.episodes)
        parts.append(element("path", d=dots, class_="episodes"))
    parts += [element("path", d=path(_placed(box, curve.mean)), class_="mean")] if len(curve.mean) > 1 else []
    parts += [_diamond(box, one.step, one.mean, one.says) for one in curve.evaluations]
    parts += _marks(curve, box)
    if cursor:
        line = element("line", x1=0, x2=0, y1=box.y.end, y2=box.y.start)
        parts.append(element("g", line, class_="cursor", transform=f"translate({box.x.end:g} 0)"))
    drawn = picture(*parts, width=width, height=height, label="Curve of the return over environment steps")
    drawn.set("data-start", f"{box.x.start:g}")
    drawn.set("data-stop", f"{box.x.end:g}")
    return drawn


def _placed(box: Frame, points: Points) -> list[tuple[float, float]]:
    return [(box.x(x), box.y(y)) for x, y in points]


def _levels(curve: Curve, box: Frame) -> list[Element]:
    parts = []
    for level, words, look in (
        (curve.random, "random", "baseline"),
        (curve.threshold, "solved from", "reference"),
    ):
        if level is None:
            continue
        at = box.y(level)
        parts.append(element("line", x1=box.x.start, x2=box.x.end, y1=at, y2=at, class_=look))
        parts.append(element("text", f"{words} {decimal(level)}", x=box.x.end, y=at - 5, text_anchor="end"))
    if curve.solved is not None:
        at = box.x(curve.solved)
        parts.append(element("line", x1=at, x2=at, y1=box.y.end, y2=box.y.start, class_="solved"))
        side = "end" if at > (box.x.start + box.x.end) / 2 else "start"
        place = {"x": at - 6 if side == "end" else at + 6, "y": box.y.start - 8, "text_anchor": side}
        parts.append(element("text", f"solved at {brief_number(curve.solved)}", class_="solved-words", **place))
    return parts


def _diamond(box: Frame, step: float, mean: float, says: str) -> Element:
    x, y = box.x(step), box.y(mean)
    return titled(element("path", d=f"M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5-5z", class_="evaluation"), says)


def _marks(curve: Curve, box: Frame) -> list[Element]:
    parts = []
    for mark in curve.marks:
        x, y = box.x(mark.step), box.y.end + MARK_RADIUS
        parts.append(
            titled(
                element(
                    "g",
                    element("line", x1=x, x2=x, y1=y, y2=box.y.start),
                    element("circle", cx=x, cy=y, r=MARK_RADIUS),
                    element("text", str(mark.number), x=x, y=y + 4, text_anchor="middle"),
                    class_="mark",
                ),
                mark.says,
            )
        )
    return parts


def _legend(curve: Curve) -> Element:
    entries: list[tuple[str, Element]] = []
    if curve.episodes:
        entries.append(("Episode", element("path", d="M7 6h0M14 6h0M21 6h0", class_="episodes")))
    if len(curve.mean) > 1:
        entries.append((curve.mean_label, element("line", x1=0, x2=28, y1=6, y2=6, class_="mean")))
    if curve.evaluations:
        entries.append((curve.evaluation_label, element("path", d="M14 1l5 5l-5 5l-5-5z", class_="evaluation")))
    if curve.marks:
        entries.append(("Event", element("g", element("circle", cx=14, cy=6, r=5), class_="mark")))
    return element(
        "ul",
        *(
            element("li", element("svg", shape, viewBox="0 0 28 12", width=28, height=12, aria_hidden="true"), text)
            for text, shape in entries
        ),
        class_="legend",
    )


def _hints(hints: Sequence[Advice]) -> list[Element]:
    if not hints:
        return []
    rows = [
        element(
            "li",
            element("p", element("span", one.severity.capitalize(), class_=f"badge {LEVELS[one.severity]}"), one.title),
            element("p", one.evidence),
            element("p", one.suggestion, class_="advice"),
            element("p", one.where, class_="about"),
        )
        for one in hints
    ]
    return [element("section", element("h2", "Hints"), element("ul", *rows, class_="hints"))]


LEVELS = {"info": "rest", "warning": "warn", "problem": "bad", "error": "bad"}


def _seeds(seeds: Seeds | None) -> list[Element]:
    if seeds is None:
        return []
    rows: list[list[Child]] = [
        [
            element("strong", f"{row.seed}, this run") if row.is_own else row.seed,
            row.figure,
            row.best,
            row.solved,
            row.status,
        ]
        for row in seeds.rows
    ]
    found = table(["seed", "return", "best average", "solved at step", "status"], rows, "Each seed of the group.")
    return [
        element(
            "section",
            element("h2", "Seeds"),
            element("p", seeds.says, class_="sentence"),
            found,
            *(element("p", one, class_="made") for one in seeds.made),
        )
    ]


def _settings(settings: Settings) -> Element:
    changed = [row for row in settings.rows if row.is_changed]
    others = [row for row in settings.rows if not row.is_changed]
    parts: list[Element] = []
    if changed:
        rows: list[list[Child]] = [[row.name, element("strong", row.value), row.usual or ""] for row in changed]
        parts.append(table(["setting", "this run", settings.usual], rows, f"What differs from the {settings.usual}."))
    elif settings.rows and settings.usual:
        parts.append(element("p", f"All hyperparameters are those of the {settings.usual}.", class_="sentence"))
    if others:
        title = "The other hyperparameters" if changed else "All hyperparameters"
        parts.append(_folded(f"{title} ({len(others)})", _pairs(others), is_open=not changed and not settings.usual))
    if settings.rules:
        parts.append(element("h3", "Rules"))
        parts.append(element("ul", *(element("li", rule) for rule in settings.rules), class_="rules"))
    if settings.facts:
        parts.append(element("h3", "Run"))
        parts.append(_pairs(settings.facts))
    return element("section", element("h2", "Settings"), *parts, class_="settings")


def _pairs(rows: Sequence[Setting]) -> Element:
    pairs = (element("div", element("dt", row.name), element("dd", row.value)) for row in rows)
    return element("dl", *pairs, class_="pairs")


def _folded(title: str, *children: Child, is_open: bool = False) -> Element:
    found = element("details", element("summary", title), *children)
    if is_open:
        found.set("open", "")
    return found


def _events(events: Events) -> list[Element]:
    if not events.rows:
        return []
    numbered = any(row.number is not None for row in events.rows)
    parts = [element("ol", *map(_event, events.rows), class_=f"events{' numbered' * numbered}")]
    if events.note:
        parts.append(element("p", events.note, class_="about"))
    return [element("section", element("h2", "What happened"), *parts)]


def _event(event: Event) -> Element:
    number = [] if event.number is None else [element("span", str(event.number), class_="number")]
    return element(
        "li",
        element("span", *number, class_="mark-place"),
        element("span", event.time, class_="time"),
        element("span", event.step, class_="step"),
        element("span", event.says, class_="says"),
        class_=event.level,
    )


def _repeat(repeat: Repeat, run_id: str) -> Element:
    parts: list[Element] = []
    if repeat.command is not None:
        parts.append(element("pre", element("code", repeat.command), tabindex="0", aria_label="Command"))
    parts += [element("p", note, class_="about") for note in repeat.notes]
    link = f"data:application/json;base64,{base64.b64encode(repeat.config.encode()).decode()}"
    parts.append(
        element(
            "p",
            element("a", "Download config.json", href=link, download=f"{run_id}-config.json", class_="download"),
        )
    )
    parts.append(_folded("Configuration as JSON", element("pre", repeat.config, tabindex="0")))
    if repeat.versions:
        parts.append(element("h3", "Versions"))
        parts.append(_pairs([Setting(name, version) for name, version in repeat.versions]))
    return element("section", element("h2", "Repeat it"), *parts)


def config_text(config: dict[str, object]) -> str:
    """Return a configuration as JSON for people."""
    return json.dumps(config, indent=2, ensure_ascii=False)
