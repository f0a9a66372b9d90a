"use client";

import clsx from "clsx";
import { Map as MapIcon } from "lucide-react";
import { isActive } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { usePaintedCanvas } from "@/charts/canvas";
import { type ChartGroup, useMoment } from "@/charts/chart-group";
import { count, plural } from "@/lib/number";
import { Button, touchClass } from "@/ui/button";
import { openTab } from "../tabs/tab-address";
import { useMapAtMoment } from "./map-card";
import { paintWorld } from "./paint-world";
import { picture } from "./world";

/** Milliseconds between two requests while the run trains. */
const WHILE_LIVE = 2_000;

interface FilmMapProps {
  run: RunDetail;
  group: ChartGroup;
}

/** A small map of the moment that is chosen on the film or the curve. Nothing before training has visited a cell. */
export function FilmMap({ run, group }: FilmMapProps) {
  const moment = useMoment(group);
  const { data: map } = useMapAtMoment(run, group, WHILE_LIVE);
  const drawn = map && map.step !== null ? picture(map) : null;
  const canvas = usePaintedCanvas((ctx, size, colors) => {
    if (drawn) paintWorld(ctx, size, colors, drawn, null);
  });
  if (!map || map.step === null || !drawn) return null;
  const { world, visited, visits } = drawn;
  const live = isActive(run) && moment === null;
  return (
    <figure className="flex items-center gap-3 px-1 pt-1.5 text-xs text-ink-soft tabular-nums">
      <canvas
        ref={canvas}
        aria-hidden
        style={{ aspectRatio: world.down ? "4 / 3" : `${world.columns} / ${world.rows}` }}
        className="max-h-28 w-28 shrink-0 rounded-sm border border-line bg-sunken"
      />
      <figcaption className="flex min-w-0 flex-col items-start gap-1">
        <span>
          {live && "Live: "}
          {count(visited)} of {plural(visits.length, "cell")} visited up to step {count(map.step)}
        </span>
        <Button
          size="sm"
          variant="quiet"
          className={clsx(touchClass, "-ml-2 max-md:-ml-3")}
          onClick={() => openTab("inside")}
          icon={<MapIcon aria-hidden className="size-3.5" />}
        >
          Open the map
        </Button>
      </figcaption>
    </figure>
  );
}
