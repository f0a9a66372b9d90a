"use client";

import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";
import { useEnvironment } from "@/api/choices";
import { anatomyQuery } from "@/api/run-record";
import { hasEnded, isActive } from "@/api/runs";
import type { RunDetail, UpdateAnatomy } from "@/api/types";
import { environmentOfRun } from "@/api/variant";
import { type CanvasSize, type TokenColors, usePaintedCanvas } from "@/charts/canvas";
import { count, decimal } from "@/lib/number";
import { routes } from "@/lib/routes";
import { HoverLink } from "@/ui/hover-link";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Select } from "@/ui/select";
import { Slider } from "@/ui/slider";
import { AnatomyRow } from "./anatomy-row";
import { type AnatomyFigure, figuresOf, layerLabel, layerNames, layerOf } from "./density";

const WHILE_LIVE = 3000;

/**
 * One update in detail, and distributions of all updates over training. Initially the newest update is
 * selected.
 */
export function AnatomyPanel({ run }: { run: RunDetail }) {
  const { data, error, refetch, isFetching } = useQuery({
    ...anatomyQuery(run.id),
    refetchInterval: isActive(run) ? WHILE_LIVE : false,
  });
  const [step, setStep] = useState<number | null>(null);
  const environment = environmentOfRun(useEnvironment(run.env_id), run);
  const figures = figuresOf(data ?? [], environment);
  if (!data) {
    if (error) {
      return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
    }
    return <Skeleton className="h-40" />;
  }
  const last = data.length - 1;
  if (last < 0) return <Nothing run={run} />;
  const found = step === null ? -1 : data.findIndex((update) => update.step >= step);
  const chosen = found < 0 ? last : found;
  const choose = (update: number) => setStep(update === last ? null : data[update]!.step);
  const update = data[chosen]!;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-ink-soft tabular-nums">
        <Slider
          label="Update"
          value={chosen}
          min={0}
          max={Math.max(last, 1)}
          onChange={(value) => choose(Math.min(value, last))}
          valueText={`step ${count(update.step)}`}
          className="w-56 max-w-full"
        />
        <span>
          {chosen === last ? "newest update, " : ""}step{" "}
          <b className="font-medium text-ink">{count(update.step)}</b>
        </span>
        <HoverLink
          href={routes.explainRun(run.id)}
          className="ml-auto rounded-sm text-xs font-medium text-accent hover:underline"
        >
          Explain this run
        </HoverLink>
      </div>
      {figures.map((figure) => (
        <AnatomyRow
          key={figure.id}
          figure={figure}
          updates={data}
          chosen={chosen}
          onChoose={choose}
        />
      ))}
      <LeftOut
        all={update.components}
        shown={update.actions?.length}
        what="components of actions"
      />
      <NormRow
        title="Gradient norm"
        help="Of the last minibatch, as the optimizer got it: clipped where the algorithm clips. The scale is logarithmic. Near 0 nothing is learned; a jump is an update much larger than those before."
        updates={data}
        of={({ gradient_norm }) => gradient_norm}
        chosen={chosen}
        onChoose={choose}
      />
      <Layers updates={data} chosen={chosen} onChoose={choose} />
      <NotFinite layers={update.not_finite ?? []} shown={update.layers?.length ?? 0} />
      <LeftOut
        all={update.layer_count}
        shown={(update.layers?.length ?? 0) + (update.not_finite?.length ?? 0)}
        what="layers"
      />
    </div>
  );
}

/** Layers without a finite weight after this update, which therefore have no histogram. */
function NotFinite({ layers, shown }: { layers: readonly string[]; shown: number }) {
  if (layers.length === 0) return null;
  return (
    <p role="status" className="flex items-start gap-2 text-xs text-bad">
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span>
        {shown === 0
          ? "No weight of any layer is a finite number after this update: training has broken down."
          : `No weight of ${layers.map(layerLabel).join(", ")} is a finite number after this update: training has broken down.`}
      </span>
    </p>
  );
}

/** A note if a network or an action is too large to record completely. */
function LeftOut({
  all,
  shown,
  what,
}: {
  all: number | null | undefined;
  shown: number | undefined;
  what: string;
}) {
  if (!all || !shown || shown >= all) return null;
  return (
    <p className="text-2xs text-ink-faint">
      Only the first {shown} of {all} {what} are recorded.
    </p>
  );
}

function Nothing({ run }: { run: RunDetail }) {
  return (
    <p className="py-6 text-center text-sm text-ink-soft">
      {run.config?.anatomy === false
        ? "This run does not record update details. You can turn them on in the form of a new run, next to the evaluation during training."
        : !hasEnded(run)
          ? "Drawn after the first update"
          : "No update was recorded"}
    </p>
  );
}

interface LayersProps {
  updates: readonly UpdateAnatomy[];
  chosen: number;
  onChoose: (update: number) => void;
}

/** Weights and gradients of the selected layer. */
function Layers({ updates, chosen, onChoose }: LayersProps) {
  const names = layerNames(updates);
  const [wanted, setWanted] = useState<string | null>(null);
  const name = wanted !== null && names.includes(wanted) ? wanted : names[0];
  const figures = name === undefined ? [] : figuresOfLayer(name);
  if (name === undefined) return null;
  return (
    <div className="flex flex-col gap-4 border-t border-line pt-4">
      <Select
        aria-label="Layer"
        value={name}
        onChange={(event) => setWanted(event.currentTarget.value)}
        className="w-56"
      >
        {names.map((one) => (
          <option key={one} value={one}>
            {layerLabel(one)}
          </option>
        ))}
      </Select>
      {figures.map((figure) => (
        <AnatomyRow key={figure.id} {...{ figure, updates, chosen, onChoose }} />
      ))}
      <NormRow
        title="Gradient norm of this layer"
        updates={updates}
        of={(update) => layerOf(update, name)?.gradient_norm}
        chosen={chosen}
        onChoose={onChoose}
      />
    </div>
  );
}

function figuresOfLayer(name: string): AnatomyFigure[] {
  return [
    {
      id: "weights",
      title: "Weights",
      help: "After the update. They spread slowly; a sudden spread means that the step was too large.",
      of: (update) => layerOf(update, name)?.weights ?? null,
    },
    {
      id: "gradients",
      title: "Gradients",
      help: "Of the last minibatch, as the optimizer got them. All at 0: this layer no longer learns.",
      of: (update) => layerOf(update, name)?.gradients ?? null,
    },
  ];
}

interface NormRowProps {
  title: string;
  /** How to read it. */
  help?: string;
  updates: readonly UpdateAnatomy[];
  of: (update: UpdateAnatomy) => number | null | undefined;
  chosen: number;
  onChoose: (update: number) => void;
}

/** The norm of gradients in the chosen update, and over training. */
function NormRow({ title, help, updates, of, chosen, onChoose }: NormRowProps) {
  const norms = normsOf(updates, of);
  if (norms === null) return null;
  const now = updates[chosen] && of(updates[chosen]);
  return (
    <section aria-label={title} className="min-w-0">
      <div className="flex items-baseline justify-between gap-3 text-xs">
        <h4 className="font-medium">{title}</h4>
        <span className="text-ink-soft tabular-nums">
          {typeof now === "number" ? decimal(now) : "no gradient step"}
        </span>
      </div>
      {help && <p className="mb-1.5 text-2xs text-ink-faint">{help}</p>}
      <UpdatePicture
        title={title}
        steps={updates.map(({ step }) => step)}
        paint={(ctx, size, colors) => paintNorms(ctx, size, colors, norms, chosen)}
        scale={
          <>
            <span>{decimal(norms.high)}</span>
            <span>{decimal(norms.low)}</span>
          </>
        }
        chosen={chosen}
        onChoose={onChoose}
      />
    </section>
  );
}

const MARGIN = 5;

/** A line with a gap where there was no gradient, and a dot at the chosen update. */
function paintNorms(
  ctx: CanvasRenderingContext2D,
  { width, height }: CanvasSize,
  colors: TokenColors,
  { heights }: Norms,
  chosen: number,
) {
  const wide = width / heights.length;
  const x = (update: number) => (update + 0.5) * wide;
  const y = (share: number) => height - MARGIN - share * (height - 2 * MARGIN);
  ctx.strokeStyle = ctx.fillStyle = colors.of("chart-mean");
  ctx.lineWidth = 1.5;
  ctx.lineJoin = ctx.lineCap = "round";
  ctx.beginPath();
  let isDrawing = false;
  heights.forEach((share, update) => {
    if (share !== null) {
      if (!isDrawing) ctx.moveTo(x(update), y(share));
      ctx.lineTo(x(update), y(share)); // a dot, where both neighbours are missing
    }
    isDrawing = share !== null;
  });
  ctx.stroke();
  const here = heights[chosen] ?? null;
  if (here === null) return;
  ctx.beginPath();
  ctx.arc(x(chosen), y(here), 3.5, 0, 2 * Math.PI);
  ctx.fill();
}

/** Gradient norms over training, on a logarithmic scale: they vanish and explode by orders of magnitude. */
interface Norms {
  low: number;
  high: number;
  /** Heights from 0 (`low`) to 1 (`high`); null if there was no gradient step. */
  heights: readonly (number | null)[];
}

/** Null without any norm. A norm of 0 lies at the bottom. */
export function normsOf(
  updates: readonly UpdateAnatomy[],
  of: (update: UpdateAnatomy) => number | null | undefined,
): Norms | null {
  const found = updates.map((update) => of(update) ?? null);
  const known = found.filter((norm) => norm !== null);
  if (known.length === 0) return null;
  const positive = known.filter((norm) => norm > 0);
  const [low, high] = positive.length > 0 ? rangeOf(positive) : [0, 1];
  const span = Math.log(high) - Math.log(low);
  const height = (norm: number) =>
    norm <= 0 ? 0 : span > 0 ? (Math.log(norm) - Math.log(low)) / span : 0.5;
  return { low, high, heights: found.map((norm) => (norm === null ? null : height(norm))) };
}

function rangeOf(numbers: readonly number[]): [number, number] {
  return [Math.min(...numbers), Math.max(...numbers)];
}

interface UpdatePictureProps {
  title: string;
  /** Training steps of the updates, from left to right. */
  steps: readonly number[];
  paint: (ctx: CanvasRenderingContext2D, size: CanvasSize, colors: TokenColors) => void;
  /** Beside the picture: its scale from the top down, or names. */
  scale: ReactNode;
  chosen: number;
  onChoose: (update: number) => void;
}

/** A picture of something over training. An update is chosen by press, drag or arrow keys. */
export function UpdatePicture({
  title,
  steps,
  paint,
  scale,
  chosen,
  onChoose,
}: UpdatePictureProps) {
  const canvas = usePaintedCanvas(paint);
  const last = steps.length - 1;

  const choose = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const update = Math.floor(((clientX - left) / width) * steps.length);
    onChoose(Math.min(Math.max(update, 0), last));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = keyTarget(event.key, chosen, last);
    if (to === null) return;
    event.preventDefault();
    onChoose(to);
  };
  return (
    <div className="grid min-w-0 grow grid-cols-[minmax(0,1fr)_3.5rem] gap-x-1.5 gap-y-0.5 text-2xs text-ink-faint tabular-nums">
      <canvas
        ref={canvas}
        role="slider"
        tabIndex={0}
        aria-label={`${title} over training`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={chosen}
        aria-valuetext={`step ${count(steps[chosen])}`}
        className="h-20 w-full cursor-crosshair touch-pan-y rounded-sm border border-line bg-sunken"
        onPointerDown={choose}
        onPointerMove={(event) => event.buttons > 0 && choose(event)}
        onKeyDown={onKeyDown}
      />
      <div aria-hidden className="flex min-w-0 flex-col justify-between">
        {scale}
      </div>
      <div aria-hidden className="flex justify-between">
        <span>{count(steps[0])}</span>
        {last > 0 && <span>{count(steps[last])}</span>}
      </div>
    </div>
  );
}

function keyTarget(key: string, chosen: number, last: number): number | null {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(0, chosen - 1);
    case "ArrowRight":
    case "ArrowUp":
      return Math.min(last, chosen + 1);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}
