"use client";

import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type PointerEvent, useId, useState } from "react";
import { mapQuery } from "@/api/run-record";
import { isActive } from "@/api/runs";
import type { RunDetail, RunMap } from "@/api/types";
import { usePaintedCanvas } from "@/charts/canvas";
import { compact, count } from "@/lib/number";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Skeleton } from "@/ui/progress";
import { Slider } from "@/ui/slider";
import { paintWorld } from "./paint-world";
import {
  describeMap,
  describePlace,
  movedBy,
  picture,
  type Place,
  type WorldPicture,
} from "./world";

/** Milliseconds between two requests while the run trains; the file is written as often. */
const WHILE_LIVE = 250;

/** Where training has been: visits to each cell, and the path of the newest policy. Nothing without cells. */
export function MapCard({ run }: { run: RunDetail }) {
  const [step, setStep] = useState<number | null>(null);
  const { data, error, refetch } = useQuery({
    ...mapQuery(run, step),
    refetchInterval: isActive(run) && step === null && WHILE_LIVE,
    placeholderData: (old) => old,
  });
  if (data?.world === null) return null;
  return (
    <Card title="Map" bodyClass="flex flex-col gap-3 p-4">
      {data ? (
        <MapBody run={run} map={data} onStep={setStep} />
      ) : error ? (
        <div className="flex items-center justify-between gap-3 text-sm text-ink-soft">
          <p>{error.message}</p>
          <Button size="sm" onClick={() => void refetch()}>
            Try again
          </Button>
        </div>
      ) : (
        <Skeleton className="aspect-5/4" />
      )}
    </Card>
  );
}

interface MapBodyProps {
  run: RunDetail;
  map: RunMap;
  /** Null: the newest map. */
  onStep: (step: number | null) => void;
}

function MapBody({ run, map, onStep }: MapBodyProps) {
  const drawn = picture(map);
  if (!map.is_recorded) {
    return (
      <p className="py-6 text-center text-sm text-ink-soft">
        This run does not count visits. Switch the map on in New run, under More, Exploration.
      </p>
    );
  }
  if (map.step === null || !drawn) {
    return (
      <p role="status" className="py-6 text-center text-sm text-ink-soft">
        {isActive(run)
          ? "Drawn as soon as training visits the first cells"
          : "No visits were recorded"}
      </p>
    );
  }
  return (
    <>
      <WorldCanvas drawn={drawn} step={map.step} />
      <Legend drawn={drawn} />
      {map.path && (
        <p className="text-xs text-ink-soft tabular-nums">
          {map.path.cells.length > 1
            ? `The line is the path of the evaluated policy of step ${count(map.path.step)}, from the open to the filled circle.`
            : `The evaluated policy of step ${count(map.path.step)} stays in the cell with the circle.`}
        </p>
      )}
      {drawn.frontier.length > 0 && (
        <p className="flex items-start gap-2 text-xs text-ink-soft">
          <span aria-hidden className="mt-0.5 size-3 shrink-0 border-[1.5px] border-warn" />
          Frontier of the archive: seldom visited cells in which episodes of training begin most
          often.
        </p>
      )}
      {map.steps.length > 1 && <StepSlider map={map} step={map.step} onStep={onStep} />}
    </>
  );
}

interface StepSliderProps {
  map: RunMap;
  step: number;
  onStep: (step: number | null) => void;
}

/** Chooses an earlier map. At its end it follows the training. */
function StepSlider({ map: { steps }, step, onStep }: StepSliderProps) {
  const last = steps.length - 1;
  const place = Math.max(steps.indexOf(step), 0);
  return (
    <div className="flex items-center gap-3 text-xs text-ink-soft tabular-nums max-md:min-h-10">
      <Slider
        label="Map at step"
        value={place}
        min={0}
        max={last}
        valueText={`step ${count(step)}`}
        onChange={(to) => onStep(to === last ? null : (steps[to] ?? null))}
        className="min-w-0 grow"
      />
      <span className="w-24 text-right">step {count(step)}</span>
    </div>
  );
}

function Legend({ drawn: { most } }: { drawn: WorldPicture }) {
  return (
    <div className="flex items-center gap-1.5 text-2xs text-ink-faint tabular-nums">
      <span>1</span>
      <span
        aria-hidden
        className="h-2 grow rounded-sm border border-line bg-sunken bg-linear-to-r from-chart-mean/14 to-chart-mean/90"
      />
      <span>{compact(most)} visits</span>
    </div>
  );
}

/** The map. What is at a cell is said below: under the pointer, or where the arrow keys have moved to. */
function WorldCanvas({ drawn, step }: { drawn: WorldPicture; step: number }) {
  const { world } = drawn;
  const [pointed, setPointed] = useState<Place | null>(null);
  const reading = useId();
  const canvas = usePaintedCanvas((ctx, size, colors) =>
    paintWorld(ctx, size, colors, drawn, pointed),
  );
  const point = ({ clientX, clientY, currentTarget }: PointerEvent) => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    const at = (share: number, size: number) =>
      Math.min(Math.max(Math.floor(share * size), 0), size - 1);
    setPointed({
      x: at((clientX - left) / width, world.columns),
      y: at((clientY - top) / height, world.rows),
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const start = drawn.path[0] ?? {
      x: Math.floor(world.columns / 2),
      y: Math.floor(world.rows / 2),
    };
    const next = event.key === "Escape" ? null : movedBy(event.key, pointed ?? start, world);
    if (next === null && (event.key !== "Escape" || pointed === null)) return;
    event.preventDefault();
    event.stopPropagation();
    setPointed(next);
  };
  const summary = describeMap(drawn, step);
  return (
    <div className="flex flex-col gap-1.5">
      {world.down && (
        <span className="text-2xs text-ink-faint">
          {world.down.label} ↑, {world.across?.label} →
        </span>
      )}
      <canvas
        ref={canvas}
        role="application"
        tabIndex={0}
        aria-label={`Map: ${summary}`}
        aria-roledescription="Picture that the arrow keys move over; Escape leaves the cell"
        aria-describedby={reading}
        style={{ aspectRatio: world.down ? "4 / 3" : `${world.columns} / ${world.rows}` }}
        className="w-full cursor-crosshair rounded-sm border border-line bg-sunken"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(null)}
        onKeyDown={onKeyDown}
        onBlur={() => setPointed(null)}
      />
      <p
        id={reading}
        aria-live={pointed ? "polite" : "off"}
        className="min-h-8 text-xs text-ink-soft tabular-nums"
      >
        {pointed ? describePlace(drawn, pointed) : `${summary}.`}
      </p>
    </div>
  );
}
