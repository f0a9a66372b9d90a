"use client";

/**
 * What a policy reads from an observation, what it expects, what happened, and the observation by name.
 *
 *     <PolicyReadingView record={record} records={trace.records} isOver={trace.isOver}
 *       spaces={{ action, observation }} greedy learned={run.learned_rewards} onPick={seek} />
 *
 * `prepare-reading.ts` and `prepare-lines.ts` decide everything about a picture and are pure; this file draws it.
 */

import clsx from "clsx";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";
import type { LearnedRewards, StepRecord } from "@/api/types";
import { type CanvasSize, type TokenColors, usePaintedCanvas } from "@/charts/canvas";
import { count, decimal, NONE } from "@/lib/number";
import {
  episodeLines,
  lineScale,
  type LineScale,
  type ObservationPicture,
  prepareObservation,
  stepAt,
} from "./prepare-lines";
import { Figure, ReadingFigures } from "./reading-figures";
import { actionText, chosenAction, type DrawnSpace } from "./space";

export interface PolicyReadingViewProps {
  /** The visible step. */
  record: StepRecord;
  /** The records of its episode that are known. */
  records: readonly StepRecord[];
  isOver: boolean;
  spaces: { action: DrawnSpace; observation: DrawnSpace };
  /** Whether the policy takes the action that it prefers. */
  greedy: boolean;
  /** What the policy's expectations are of; null: unknown. */
  learned: LearnedRewards | null;
  /** Where the agent sees pictures: what it saw, as `LiveSeen` or `EvaluationSeen` show it. */
  seen?: ReactNode;
  /** Called when the user wants to see a step of this episode. */
  onPick: (index: number) => void;
}

/** What the policy predicts for the frame on the screen, which belongs to a live window, a video or a clip. */
export function PolicyReadingView({
  record,
  records,
  isOver,
  spaces,
  greedy,
  learned,
  seen,
  onPick,
}: PolicyReadingViewProps) {
  const next = records[record.index + 1 - (records[0]?.index ?? 0)] ?? null;
  const lines = episodeLines(records, { learned, isOver });
  const chosen = chosenAction(record, next, greedy, spaces.action);
  const common = { first: lines.first, grows: !isOver, at: record.index, onPick };
  const { expected, came } = lines;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {seen}
      <ReadingFigures record={record} action={spaces.action} chosen={chosen} />
      {expected && (
        <EpisodeLine
          {...common}
          title={`Expected return, ${expected.name}`}
          note={lines.note}
          height={84}
          lines={[
            { name: "expected", values: expected.values, color: "chart-mean" },
            ...(came
              ? [{ name: "came", values: came, color: "chart-reference", dash: [4, 3] }]
              : []),
          ]}
        />
      )}
      <EpisodeLine
        {...common}
        title="Reward"
        fromZero
        height={44}
        lines={[{ name: "reward", values: lines.rewards, color: "chart-mean" }]}
      />
      <LastAction record={record} action={spaces.action} />
      {!seen && <ObservationFigure picture={prepareObservation(record, spaces.observation)} />}
    </div>
  );
}

function LastAction({ record, action }: { record: StepRecord; action: DrawnSpace }) {
  const words = actionText(record.action, action);
  return (
    <Figure title="Last action">
      <p className="truncate text-xs text-ink-soft tabular-nums">
        {words === null ? (
          "The reset of the environment"
        ) : (
          <>
            {words}
            {record.actor !== "policy" && record.actor && ` (${record.actor})`}, reward{" "}
            {decimal(record.reward)}
          </>
        )}
      </p>
    </Figure>
  );
}

interface EpisodeLineProps {
  title: string;
  note?: string | null;
  lines: readonly DrawnLine[];
  /** Index of the first value. */
  first: number;
  /** Whether more steps will come. */
  grows: boolean;
  fromZero?: boolean;
  /** Index of the step that is shown. */
  at: number;
  /** Called to show another step. */
  onPick: (index: number) => void;
  height: number;
}

/** Curves over an episode. A step is selected by press or arrow keys. */
function EpisodeLine({
  title,
  note,
  lines,
  first,
  grows,
  fromZero = false,
  at,
  onPick,
  height,
}: EpisodeLineProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const length = Math.max(0, ...lines.map(({ values }) => values.length));
  const last = first + Math.max(0, length - 1);
  const scale = lineScale(
    lines.map(({ values }) => values),
    { first, grows, fromZero },
  );

  const canvas = usePaintedCanvas((ctx, size, colors) =>
    paintLine(ctx, size, colors, { lines, scale, first, at, hovered }),
  );

  const stepUnder = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return stepAt((clientX - left - GUTTER) / (width - GUTTER), scale, length);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = keyTarget(event.key, at, first, last);
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    onPick(to);
  };
  const read = hovered ?? at;
  const words = lines.map(({ name, values }) => ({ name, text: textOf(values[read - first]) }));
  return (
    <Figure
      title={title}
      note={note}
      aside={
        <>
          step {count(read)}
          {words.map(({ name, text }, i) => (
            <span key={name} className="ml-2.5 whitespace-nowrap">
              <Swatch line={lines[i]!} /> {name} <span className="text-ink">{text}</span>
            </span>
          ))}
        </>
      }
    >
      <canvas
        ref={canvas}
        role="slider"
        tabIndex={0}
        aria-label={`${title} over the episode`}
        aria-valuemin={first}
        aria-valuemax={last}
        aria-valuenow={Math.min(last, Math.max(first, at))}
        aria-valuetext={`step ${at}: ${words.map(({ name, text }) => `${name} ${text}`).join(", ")}`}
        style={{ height }}
        className="w-full cursor-crosshair touch-pan-y rounded-sm border border-line bg-sunken"
        onPointerMove={(event) => setHovered(stepUnder(event))}
        onPointerLeave={() => setHovered(null)}
        onClick={(event) => onPick(stepUnder(event as unknown as PointerEvent))}
        onKeyDown={onKeyDown}
      />
    </Figure>
  );
}

function Swatch({ line: { color, dash } }: { line: DrawnLine }) {
  return (
    <svg aria-hidden width="12" height="6" className="inline-block align-middle">
      <line
        x1="0"
        x2="12"
        y1="3"
        y2="3"
        strokeWidth="2"
        strokeDasharray={dash?.join(" ")}
        style={{ stroke: `var(--${color})` }}
      />
    </svg>
  );
}

function textOf(value: number | null | undefined): string {
  return value === null || value === undefined ? NONE : decimal(value);
}

function keyTarget(key: string, at: number, first: number, last: number): number | null {
  const within = (index: number) => Math.min(last, Math.max(first, index));
  switch (key) {
    case "ArrowLeft":
      return within(at - 1);
    case "ArrowRight":
      return within(at + 1);
    case "PageUp":
      return within(at - 10);
    case "PageDown":
      return within(at + 10);
    case "Home":
      return first;
    case "End":
      return last;
    default:
      return null;
  }
}

interface DrawnLine {
  name: string;
  values: readonly (number | null)[];
  /** Name of the colour's token. */
  color: string;
  dash?: readonly number[];
}

interface Painted {
  lines: readonly DrawnLine[];
  scale: LineScale;
  /** Index of the first value. */
  first: number;
  /** The visible step, and the one under the pointer. */
  at: number | null;
  hovered: number | null;
}

const INSET = 3;

/** CSS pixels at the left in which the labels of the scale stand; lines are drawn beside it. */
const GUTTER = 46;

/** Draws lines over an episode into a box of `width` × `height` CSS pixels. */
function paintLine(
  ctx: CanvasRenderingContext2D,
  { width, height }: CanvasSize,
  colors: TokenColors,
  { lines, scale, first, at, hovered }: Painted,
) {
  const [from, to] = scale.x;
  const [low, high] = scale.y;
  const x = (step: number) => GUTTER + ((step - from) / (to - from)) * (width - GUTTER - INSET);
  const y = (value: number) =>
    height - INSET - ((value - low) / (high - low)) * (height - 2 * INSET);
  if (low < 0 && high > 0) upright(ctx, colors.of("chart-grid"), GUTTER, y(0), width, y(0));
  for (const { values, color, dash = [] } of lines) {
    ctx.beginPath();
    ctx.setLineDash([...dash]);
    ctx.strokeStyle = colors.of(color);
    ctx.lineWidth = 1.5;
    ctx.lineJoin = "round";
    let open = false;
    values.forEach((value, i) => {
      if (value === null) return (open = false);
      const [left, top] = [x(first + i), y(value)];
      if (open) ctx.lineTo(left, top);
      else ctx.moveTo(left, top);
      open = true;
    });
    ctx.stroke();
  }
  ctx.setLineDash([]);
  label(ctx, colors, decimal(high), INSET + 9);
  label(ctx, colors, decimal(low), height - INSET - 1);
  if (hovered !== null) upright(ctx, colors.of("line-strong"), x(hovered), 0, x(hovered), height);
  if (at === null) return;
  upright(ctx, colors.of("accent"), x(at), 0, x(at), height);
  for (const { values, color } of lines) {
    const value = values[at - first] ?? null;
    if (value === null) continue;
    ctx.beginPath();
    ctx.fillStyle = colors.of(color);
    ctx.arc(x(at), y(value), 2.5, 0, 2 * Math.PI);
    ctx.fill();
  }
}

/** A label of the scale, aligned to the end of the gutter. */
function label(ctx: CanvasRenderingContext2D, colors: TokenColors, text: string, top: number) {
  ctx.font = colors.font;
  ctx.textAlign = "right";
  ctx.fillStyle = colors.of("chart-axis");
  ctx.fillText(text, GUTTER - 6, top, GUTTER - 8);
}

function upright(
  ctx: CanvasRenderingContext2D,
  color: string,
  ...[fromX, fromY, toX, toY]: [number, number, number, number]
) {
  ctx.beginPath();
  ctx.strokeStyle = color;
  ctx.lineWidth = 1;
  ctx.moveTo(Math.round(fromX) + 0.5, fromY);
  ctx.lineTo(Math.round(toX) + 0.5, toY);
  ctx.stroke();
}

/** Characters of a name and its unit that stand beside a number in half of a narrow column. */
const SHORT = 18;

function ObservationFigure({ picture }: { picture: ObservationPicture }) {
  return (
    <Figure title="Observation">
      {picture.kind === "said" ? (
        <p className="text-xs text-ink-soft tabular-nums">{picture.text}</p>
      ) : (
        <dl
          className={clsx(
            "grid gap-x-6 gap-y-0.5 text-xs tabular-nums",
            picture.values.every(({ label, unit }) => label.length + (unit?.length ?? 0) <= SHORT)
              ? "grid-cols-[repeat(auto-fill,minmax(10rem,1fr))]"
              : "grid-cols-[repeat(auto-fill,minmax(15rem,1fr))]",
          )}
        >
          {picture.values.map(({ label, text, unit }, i) => (
            <div key={i} className="flex min-w-0 justify-between gap-2">
              <dt title={label} className="truncate text-ink-soft">
                {label}
              </dt>
              <dd className="shrink-0">
                {text}
                {unit && <span className="text-ink-faint"> {unit}</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Figure>
  );
}
