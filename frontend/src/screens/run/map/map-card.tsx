"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { type KeyboardEvent, type MouseEvent, useId, useRef, useState } from "react";
import { mapQuery } from "@/api/run-record";
import { isActive } from "@/api/runs";
import type { RunDetail, RunMap } from "@/api/types";
import { usePaintedCanvas } from "@/charts/canvas";
import { type ChartGroup, useMoment } from "@/charts/chart-group";
import { compact, count } from "@/lib/number";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Skeleton } from "@/ui/progress";
import { Slider } from "@/ui/slider";
import { CellPanel } from "./cell-panel";
import { PathChoice, type PathOf, useMapPath } from "./map-path";
import { paintWorld } from "./paint-world";
import {
  describeMap,
  describePlace,
  idOf,
  movedBy,
  picture,
  type Place,
  stepOfMap,
  type WorldPicture,
} from "./world";

/** Milliseconds between two requests while the run trains; the file is written at most as often. */
const WHILE_LIVE = 200;

interface MapCardProps {
  run: RunDetail;
  /** The charts of the page, which share their moment with the map. */
  group: ChartGroup;
}

/** Where training has been: visits to each cell, and a path. Nothing without cells. */
export function MapCard({ run, group }: MapCardProps) {
  const { data, error, refetch } = useMapAtMoment(run, group);
  if (data?.world === null) return null;
  return (
    <Card title="Map" bodyClass="flex flex-col gap-3 p-4">
      {data ? (
        <MapBody run={run} map={data} group={group} />
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

/**
 * The map of the moment that is chosen on the curve, on the film, or here; the newest one without a moment. `whileLive`:
 * milliseconds between two requests while the run trains.
 */
export function useMapAtMoment(run: RunDetail, group: ChartGroup, whileLive = WHILE_LIVE) {
  const moment = useMoment(group);
  const newest = useQuery({
    ...mapQuery(run, null),
    refetchInterval: isActive(run) && moment === null && whileLive,
  });
  const steps = newest.data?.steps ?? [];
  const step = moment === null ? null : stepOfMap(steps, moment);
  const earlier = useQuery({
    ...mapQuery(run, step),
    enabled: step !== null,
    placeholderData: (old) => old ?? newest.data,
  });
  return step === null ? newest : earlier;
}

interface MapBodyProps {
  run: RunDetail;
  map: RunMap;
  group: ChartGroup;
}

function MapBody({ run, map, group }: MapBodyProps) {
  if (!map.is_recorded) {
    return (
      <p className="py-6 text-center text-sm text-ink-soft">
        This run does not count visits. Switch the map on in New run, under More, Exploration.
      </p>
    );
  }
  if (map.step === null) {
    return (
      <p role="status" className="py-6 text-center text-sm text-ink-soft">
        {isActive(run)
          ? "Drawn as soon as training visits the first cells"
          : "No visits were recorded"}
      </p>
    );
  }
  return <VisitedMap run={run} map={map} step={map.step} group={group} />;
}

function VisitedMap({ run, map, step, group }: MapBodyProps & { step: number }) {
  const moment = useMoment(group);
  const [choice, setChoice] = useState<PathOf | null>(null);
  const chosen: PathOf = choice ?? { kind: map.path ? "newest" : "none" };
  const path = useMapPath(run, map, chosen, moment ?? step);
  const drawn = picture(map, path.cells)!;
  return (
    <>
      <WorldCanvas run={run} drawn={drawn} step={step} policyStep={moment} />
      <Legend drawn={drawn} />
      <PathChoice run={run} hasNewest={map.path !== null} chosen={chosen} onChoose={setChoice} />
      {path.says && (
        <p
          role="status"
          aria-busy={path.busy || undefined}
          className={clsx("text-xs tabular-nums", path.failed ? "text-bad" : "text-ink-soft")}
        >
          {path.says}
        </p>
      )}
      {drawn.frontier.length > 0 && (
        <p className="flex items-start gap-2 text-xs text-ink-soft">
          <span aria-hidden className="mt-0.5 size-3 shrink-0 border-[1.5px] border-warn" />
          Frontier of the archive: cells in which episodes of training begin most often.
        </p>
      )}
      {map.steps.length > 1 && <StepSlider map={map} step={step} onStep={group.moment.set} />}
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

interface WorldCanvasProps {
  run: RunDetail;
  drawn: WorldPicture;
  step: number;
  /** The step whose policy plays from a cell; null: the newest one. */
  policyStep: number | null;
}

/**
 * The map. What is at a cell is said below: under the pointer, or where the arrow keys have moved to. A click or Enter
 * opens the cell.
 */
function WorldCanvas({ run, drawn, step, policyStep }: WorldCanvasProps) {
  const { world } = drawn;
  const [pointed, setPointed] = useState<Place | null>(null);
  const [opened, setOpened] = useState<{ place: Place; byKey: boolean } | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const reading = useId();
  const canvas = usePaintedCanvas((ctx, size, colors) =>
    paintWorld(ctx, size, colors, drawn, pointed ?? opened?.place ?? null),
  );
  const placeAt = ({ clientX, clientY, currentTarget }: MouseEvent): Place => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    const at = (share: number, size: number) =>
      Math.min(Math.max(Math.floor(share * size), 0), size - 1);
    return {
      x: at((clientX - left) / width, world.columns),
      y: at((clientY - top) / height, world.rows),
    };
  };
  const point = (event: MouseEvent) => setPointed(placeAt(event));
  const onKeyDown = (event: KeyboardEvent) => {
    const start = opened?.place ??
      drawn.path[0] ?? {
        x: Math.floor(world.columns / 2),
        y: Math.floor(world.rows / 2),
      };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      setOpened({ place: pointed ?? start, byKey: true });
      return;
    }
    const next = event.key === "Escape" ? null : movedBy(event.key, pointed ?? start, world);
    if (next === null && (event.key !== "Escape" || (pointed ?? opened) === null)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape" && pointed === null) setOpened(null);
    setPointed(next);
  };
  const close = () => {
    setOpened(null);
    box.current?.querySelector("canvas")?.focus({ preventScroll: true });
  };
  const summary = describeMap(drawn, step);
  return (
    <div ref={box} className="flex flex-col gap-1.5">
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
        aria-roledescription="Picture that the arrow keys move over; Enter opens the cell, Escape leaves it"
        aria-describedby={reading}
        style={{ aspectRatio: world.down ? "4 / 3" : `${world.columns} / ${world.rows}` }}
        className="w-full cursor-pointer rounded-sm border border-line bg-sunken"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(null)}
        onClick={(event) => setOpened({ place: placeAt(event), byKey: false })}
        onKeyDown={onKeyDown}
        onBlur={() => setPointed(null)}
      />
      <p
        id={reading}
        aria-live={pointed ? "polite" : "off"}
        className="min-h-8 text-xs text-ink-soft tabular-nums"
      >
        {pointed ? describePlace(drawn, pointed) : `${summary}. Choose a cell to begin there.`}
      </p>
      {opened && (
        <CellPanel
          key={idOf(drawn.world, opened.place)}
          run={run}
          drawn={drawn}
          place={opened.place}
          step={policyStep}
          takesFocus={opened.byKey}
          onClose={close}
        />
      )}
    </div>
  );
}
