"use client";

import { Clapperboard } from "lucide-react";
import { useRef } from "react";
import { whyNotTrusted } from "@/api/run-availability";
import type { RunDetail } from "@/api/types";
import { type ChartGroup, useMoment, useStepScale } from "@/charts/chart-group";
import { CHART_INSET, type ChartAxis } from "@/charts/plot-options";
import { stepScale } from "@/charts/prepare/axes";
import { useInView } from "@/lib/media";
import { bytes, plural } from "@/lib/number";
import { useFilm, useThumbnails } from "@/player/film";
import { usePageSeen } from "@/player/session/watch-session";
import { Button } from "@/ui/button";
import { optionsOf, useFilmChoice } from "./film-choice";
import { StripFrames } from "./strip-frames";
import { whyNoFilm } from "./why-no-film";

interface FilmstripProps {
  run: RunDetail;
  group: ChartGroup;
  axis: ChartAxis;
  /** Somebody wants to see a moment, or the film. */
  onChosen: () => void;
}

/** The policies of a run, along the curve of its return: a click plays the one of that moment. */
export function Filmstrip({ run, group, axis, onChosen }: FilmstripProps) {
  const strip = useRef<HTMLDivElement>(null);
  const seen = useInView(strip) === true;
  const pageSeen = usePageSeen();
  const moment = useMoment(group);
  const [choice, choose] = useFilmChoice(group);
  const { policies, clips } = useFilm(run);
  const whyNotFilmed = whyNotTrusted(run);
  useThumbnails(run, seen && pageSeen && whyNotFilmed === null, optionsOf(choice));

  const kept = policies.data?.policies ?? [];
  const last = kept.at(-1)?.step ?? 0;
  // Where steps lie on the axis is known a moment after the axis was changed: until then the strip is the whole training.
  const scale = useStepScale(group);
  const range = scale ? axis.range : ([0, Math.max(1, last)] as const);
  return (
    <div ref={strip} className="flex flex-col gap-1 pt-1">
      <div style={{ marginLeft: CHART_INSET.left, marginRight: CHART_INSET.right }}>
        {kept.length > 0 ? (
          <StripFrames
            policies={kept}
            clips={clips.data ?? []}
            range={range}
            scale={scale ?? stepScale(last)}
            width={axis.width - CHART_INSET.left - CHART_INSET.right}
            moment={moment}
            onMoment={(step) => {
              choose({ growth: false });
              group.moment.set(step);
              onChosen();
            }}
          />
        ) : (
          <p className="rounded-md border border-dashed border-line-strong px-3 py-2 text-xs text-ink-faint">
            {policies.isError
              ? "The policies of this run could not be listed."
              : policies.isPending
                ? "Looking for the policies of this run"
                : whyNoFilm(run)}
          </p>
        )}
      </div>
      {policies.data && kept.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 px-1 text-2xs text-ink-faint tabular-nums">
          <span>
            {kept.some(({ kinds }) => kinds.includes("film")) || "No film was kept of this run. "}
            {plural(kept.length, "policy", "policies")}, {bytes(policies.data.film_bytes)}; clips{" "}
            {bytes(policies.data.clip_bytes)} of {bytes(policies.data.clip_limit_bytes)}
          </span>
          <Button
            size="sm"
            variant="quiet"
            needsService
            unavailable={
              whyNotFilmed ?? (kept.length < 2 && "It takes two policies at least; one comes soon.")
            }
            icon={<Clapperboard aria-hidden className="size-3.5" />}
            onClick={() => {
              choose({ growth: true });
              group.moment.set(null);
              onChosen();
            }}
          >
            How it learned
          </Button>
        </div>
      )}
    </div>
  );
}
