"use client";

import { type KeyboardEvent, type PointerEvent, useDeferredValue } from "react";
import { count } from "@/lib/number";
import { Tooltip } from "@/ui/tooltip";
import {
  type ChartGroup,
  stepped,
  useCursor,
  useMoment,
  useStepScale,
  zoomed,
} from "./chart-group";
import type { LiveChart } from "./live-chart";
import { PLOT_INSET } from "./plot-options";
import {
  type ChartMark,
  groupMarks,
  MARK_LOOKS,
  type MarkGroup,
  type MarkKind,
  MARKS_APART,
} from "./prepare/marks";
import type { ChartModel } from "./prepare/model";
import { positionLabel, sentenceAt } from "./prepare/readout";

interface ChartMarksProps {
  marks: readonly ChartMark[];
  model: ChartModel;
  /** Pixels of the whole chart. */
  width: number;
}

/** Lines with fewer pixels than this between them are drawn as one. */
const LINES_APART = 3;

/** How many events of a group its tooltip lists. */
const LISTED = 6;

/**
 * Markers of the run's events along the bottom of the plot. Each describes its events when hovered or
 * focused.
 */
export function ChartMarks({ marks, model, width }: ChartMarksProps) {
  const inner = width - PLOT_INSET.left - PLOT_INSET.right;
  if (inner <= 0) return null;
  const foot = PLOT_INSET.bottom + (model.hasAxisName ? PLOT_INSET.axisName : 0);
  return (
    <ul aria-label="Events" className="pointer-events-none absolute inset-0 overflow-x-clip">
      {groupMarks(marks, model.x, inner, MARKS_APART).map((group) => (
        <li
          key={group.marks[0]!.id}
          className="absolute"
          style={{ left: PLOT_INSET.left + group.share * inner, bottom: foot }}
        >
          <Mark group={group} />
        </li>
      ))}
    </ul>
  );
}

/** The same as thin lines across the plot, for charts next to a chart whose marks have texts. */
export function ChartMarkLines({ marks, model, width }: ChartMarksProps) {
  const inner = width - PLOT_INSET.left - PLOT_INSET.right;
  if (inner <= 0) return null;
  const foot = PLOT_INSET.bottom + (model.hasAxisName ? PLOT_INSET.axisName : 0);
  return (
    <div aria-hidden className="pointer-events-none absolute inset-0 overflow-x-clip">
      {groupMarks(marks, model.x, inner, LINES_APART).map(({ kind, share, marks: all }) => (
        <span
          key={all[0]!.id}
          data-kind={kind}
          className="absolute flex w-px flex-col items-center"
          style={{
            ...{ left: PLOT_INSET.left + share * inner, top: PLOT_INSET.top, bottom: foot },
            color: `var(--${MARK_LOOKS[kind].color})`,
          }}
        >
          <span className="w-px grow border-l border-dashed border-current opacity-60" />
          <MarkShape kind={kind} />
        </span>
      ))}
    </div>
  );
}

function Mark({ group: { kind, marks } }: { group: MarkGroup }) {
  const lines = marks.slice(0, LISTED).map(({ text }) => text);
  if (marks.length > LISTED) lines.push(`and ${marks.length - LISTED} more`);
  return (
    <Tooltip
      text={
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      }
    >
      <button
        type="button"
        aria-label={lines.join(" ")}
        data-kind={kind}
        className="pointer-events-auto grid h-4 w-3 -translate-x-1/2 place-items-center rounded-sm hover:bg-rest-tint"
      >
        <MarkShape kind={kind} />
      </button>
    </Tooltip>
  );
}

/** The outline of an event's kind in its colour. */
function MarkShape({ kind }: { kind: MarkKind }) {
  const { path, isLine, color } = MARK_LOOKS[kind];
  return (
    <svg
      aria-hidden
      viewBox="0 0 10 10"
      className="size-2.5 shrink-0"
      style={{ color: `var(--${color})` }}
      fill={isLine ? "none" : "currentColor"}
    >
      <path d={path} stroke={isLine ? "currentColor" : undefined} strokeWidth="2" />
    </svg>
  );
}

interface ChartMomentProps {
  group: ChartGroup;
  model: ChartModel;
  /** Pixels of the whole chart. */
  width: number;
  /** Whether Tab reaches it. One chart of a page is enough, because all mark the same moment. */
  inTabOrder: boolean;
}

/** Shares of the visible range by which keys move the moment. */
const NEAR = 0.01;
const FAR = 0.1;

/**
 * The environment step that is shown elsewhere on the page, for instance in a video: a line that can be dragged, and moved
 * with the keyboard.
 */
export function ChartMoment({ group, model, width, inTabOrder }: ChartMomentProps) {
  const moment = useMoment(group);
  const steps = useStepScale(group);
  const [from, to] = model.x;
  const inner = width - PLOT_INSET.left - PLOT_INSET.right;
  if (moment === null || steps === null || inner <= 0) return null;
  const place = steps.placeOf(moment);
  if (place < from || place > to) return null;

  const foot = PLOT_INSET.bottom + (model.hasAxisName ? PLOT_INSET.axisName : 0);
  const pick = (x: number) => group.pick(Math.min(to, Math.max(from, x)));
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.type === "pointerdown") event.currentTarget.setPointerCapture(event.pointerId);
    else if (event.buttons === 0) return;
    const { left } = event.currentTarget.parentElement!.getBoundingClientRect();
    pick(from + ((event.clientX - left - PLOT_INSET.left) / inner) * (to - from));
  };
  const by = (share: number) => pick(place + share * (to - from));
  const keys: Record<string, () => void> = {
    ArrowLeft: () => by(-NEAR),
    ArrowRight: () => by(NEAR),
    ArrowDown: () => by(-NEAR),
    ArrowUp: () => by(NEAR),
    PageDown: () => by(-FAR),
    PageUp: () => by(FAR),
    Home: () => pick(from),
    End: () => pick(to),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  return (
    <div
      role="slider"
      tabIndex={inTabOrder ? 0 : -1}
      aria-label="Moment of training"
      aria-valuemin={Math.round(steps.stepAt(from))}
      aria-valuemax={Math.round(steps.stepAt(to))}
      aria-valuenow={moment}
      aria-valuetext={`step ${count(moment)}`}
      data-moment={moment}
      onKeyDown={onKeyDown}
      onPointerDown={drag}
      onPointerMove={drag}
      // The first press on the chart brings it under the pointer, so that the second comes here.
      onDoubleClick={group.reset}
      className="group absolute top-1 w-3 -translate-x-1/2 cursor-ew-resize touch-none rounded-sm pointer-coarse:w-6"
      style={{ left: PLOT_INSET.left + ((place - from) / (to - from)) * inner, bottom: foot }}
    >
      <span className="absolute inset-y-0 left-1/2 w-0.5 -translate-x-1/2 rounded-full bg-accent group-hover:w-[3px]" />
      <span className="absolute top-0 left-1/2 size-2 -translate-x-1/2 rounded-full bg-accent ring-2 ring-surface group-hover:size-2.5" />
    </div>
  );
}

interface ChartCursorProps {
  chart: LiveChart;
  model: ChartModel;
  hidden: ReadonlySet<string>;
}

const CURSOR_FAR = 10;
const ZOOM = 1.6;
const KEYS = "Arrow keys read values, plus and minus zoom, Escape shows everything";

/**
 * The keyboard's access to the chart: a slider along its axis, whose value is a sentence of the values there.
 * Screen readers speak a slider's value, politely and the last one only, whenever it moves; a live region
 * beside it would say everything twice. The pointer goes through to the plot.
 */
export function ChartCursor({ chart, model, hidden }: ChartCursorProps) {
  const { group, spec } = chart;
  const cursor = useDeferredValue(useCursor(group));
  const [from, to] = model.x;

  const zoom = (factor: number) => {
    // The group has the current window. The model still has the one before when keys are pressed quickly.
    const [low, high] = group.window.get() ?? [from, to];
    group.zoom(zoomed([low, high], group.cursor.get() ?? (low + high) / 2, factor, chart.bounds));
  };
  const step = (by: number) => moveTo(stepped(model.data[0], group.cursor.get(), by));
  const moveTo = (x: number | null) => {
    group.cursor.set(x);
    if (x === null || (x >= from && x <= to)) return;
    const half = (to - from) / 2;
    chart.zoom([x - half, x + half]);
  };
  const actions: Record<string, (event: KeyboardEvent) => void> = {
    ArrowLeft: (event) => step(event.shiftKey ? -CURSOR_FAR : -1),
    ArrowRight: (event) => step(event.shiftKey ? CURSOR_FAR : 1),
    PageDown: () => step(-CURSOR_FAR * CURSOR_FAR),
    PageUp: () => step(CURSOR_FAR * CURSOR_FAR),
    Home: () => moveTo(model.data[0][0] ?? null),
    End: () => moveTo(model.data[0].at(-1) ?? null),
    Enter: () => group.pick(group.cursor.get() ?? to),
    o: ({ currentTarget }) => {
      const { left, width, top, height } = currentTarget.getBoundingClientRect();
      group.askAt(group.cursor.get() ?? to, { x: left + width / 2, y: top + height / 2 });
    },
    "+": () => zoom(1 / ZOOM),
    "=": () => zoom(1 / ZOOM),
    "-": () => zoom(ZOOM),
    Escape: (event) => {
      // Nothing to reset, so Escape is left to a dialog around the chart.
      if (group.window.get() === null && group.cursor.get() === null) return;
      event.stopPropagation();
      group.cursor.set(null);
      group.reset();
    },
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={`${spec.title}: ${KEYS}`}
      aria-valuemin={from}
      aria-valuemax={to}
      aria-valuenow={Math.min(to, Math.max(from, cursor ?? to))}
      aria-valuetext={cursor === null ? model.summary : sentenceAt(spec, model, cursor, hidden)}
      onKeyDown={(event) => {
        const act = actions[event.key];
        if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        act(event);
      }}
      className="pointer-events-none absolute inset-0 rounded-md"
    />
  );
}

/** The cursor's position, in the chart's corner. Beside the legend it would wrap lines and move the chart. */
export function ChartPosition({ chart, model }: { chart: LiveChart; model: ChartModel }) {
  const cursor = useCursor(chart.group);
  const [from, to] = model.x;
  if (cursor === null || cursor < from || cursor > to) return null;
  return (
    <p
      aria-hidden
      className="pointer-events-none absolute -top-1 right-0 z-10 rounded-sm bg-surface/85 px-1 text-2xs text-ink-soft tabular-nums"
    >
      {positionLabel(model.axis, cursor)}
    </p>
  );
}
