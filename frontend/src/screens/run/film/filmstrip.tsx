"use client";

import clsx from "clsx";
import { Clapperboard } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from "react";
import { useRunStill } from "@/api/choices";
import { apiLink } from "@/api/http";
import { whyNotTrusted } from "@/api/run-availability";
import type { Clip, KeptPolicy, RunDetail } from "@/api/types";
import { type ChartGroup, useMoment, useStepScale } from "@/charts/chart-group";
import { CHART_INSET, type ChartAxis } from "@/charts/plot-options";
import { stepScale, type StepScale } from "@/charts/prepare/axes";
import { useInView } from "@/lib/media";
import { bytes, compact, count, plural } from "@/lib/number";
import { frames, policyAfter, policyAt, useFilm, useThumbnails } from "@/player/film";
import { usePageSeen } from "@/player/session/watch-session";
import { Button } from "@/ui/button";
import { optionsOf, useFilmChoice, whyNoFilm } from "./film-choice";

interface FilmstripProps {
  run: RunDetail;
  group: ChartGroup;
  axis: ChartAxis;
  /** A moment was chosen, or the film. */
  onChosen: () => void;
}

/** The policies of a run, along the curve of its return: a click plays the one of that moment. */
export function Filmstrip({ run, group, axis, onChosen }: FilmstripProps) {
  const strip = useRef<HTMLDivElement>(null);
  const seen = useInView(strip) === true;
  const pageSeen = usePageSeen();
  const moment = useMoment(group);
  const stillUrl = useRunStill(run);
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
            stillUrl={stillUrl}
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
                ? "Loading policies…"
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
              whyNotFilmed ??
              (kept.length < 2 && "At least two policies are needed; the next one comes soon.")
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

interface StripFramesProps {
  policies: readonly KeptPolicy[];
  clips: readonly Clip[];
  /** The positions on the axis that the strip reaches from and to. */
  range: readonly [number, number];
  /** Where environment steps lie on it. */
  scale: StepScale;
  /** Pixels. */
  width: number;
  moment: number | null;
  /** A picture of the environment, behind policies that have no picture yet; null without one. */
  stillUrl: string | null;
  onMoment: (step: number) => void;
}

/** Pixels of a picture, and of the space between two. */
const PICTURE = 60;
const FAR = 5;

/**
 * Pictures of clips side by side, and a tick for each policy. A click, a drag and the arrow keys choose the moment: one
 * slider, as a screen reader says it, whose value is the policy.
 */
function StripFrames({
  policies,
  clips,
  range,
  scale,
  width,
  moment,
  stillUrl,
  onMoment,
}: StripFramesProps) {
  const [from, to] = range;
  const places = Math.max(1, Math.floor(width / PICTURE));
  const shown = useMemo(
    () => frames(policies, clips, [from, to], places, scale.placeOf),
    [policies, clips, from, to, places, scale],
  );
  const chosen = moment === null ? undefined : policyAt(policies, moment);
  const share = (step: number) => ((scale.placeOf(step) - from) / (to - from)) * 100;
  const within = (step: number) => share(step) >= 0 && share(step) <= 100;

  const scrub = (event: PointerEvent<HTMLDivElement>) => {
    if (event.type === "pointerdown") event.currentTarget.setPointerCapture(event.pointerId);
    else if (event.buttons === 0) return;
    const box = event.currentTarget.getBoundingClientRect();
    const at = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    onMoment(Math.round(scale.stepAt(from + at * (to - from))));
  };
  const move = (by: number) => {
    const next = policyAfter(policies, moment ?? scale.stepAt(from), moment === null ? 0 : by);
    if (next) onMoment(next.step);
  };
  const keys: Record<string, () => void> = {
    ArrowLeft: () => move(-1),
    ArrowRight: () => move(1),
    ArrowDown: () => move(-1),
    ArrowUp: () => move(1),
    PageDown: () => move(-FAR),
    PageUp: () => move(FAR),
    Home: () => onMoment(policies[0]!.step),
    End: () => onMoment(policies.at(-1)!.step),
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
      tabIndex={0}
      aria-label="Filmstrip: arrow keys choose a policy"
      aria-valuemin={0}
      aria-valuemax={policies.at(-1)!.step}
      aria-valuenow={chosen?.step ?? 0}
      aria-valuetext={chosen ? `Policy after ${count(chosen.step)} steps` : "No moment chosen"}
      onKeyDown={onKeyDown}
      onPointerDown={scrub}
      onPointerMove={scrub}
      className="relative h-14 cursor-pointer touch-pan-y rounded-md select-none"
    >
      <div className="absolute inset-x-0 top-0 h-11 overflow-hidden rounded-md border border-line bg-sunken">
        {shown.map(({ policy, picture, share: at }) => (
          <span
            key={at}
            className={clsx(
              "absolute inset-y-0 grid -translate-x-1/2 place-items-center overflow-hidden border-x border-surface text-2xs text-ink-faint",
              chosen?.step === policy.step && "ring-2 ring-accent ring-inset",
            )}
            style={{ left: `${at * 100}%`, width: `${100 / places}%` }}
          >
            {(picture ?? stillUrl) && (
              // The export has no image service, and the picture is small already.
              // eslint-disable-next-line @next/next/no-img-element
              <img
                src={apiLink((picture ?? stillUrl)!)}
                alt=""
                draggable={false}
                className={clsx(
                  "absolute inset-0 size-full object-contain",
                  !picture && "opacity-15",
                )}
              />
            )}
            {!picture && (
              <span className="relative rounded-sm bg-surface/80 px-1 text-ink-soft">
                {compact(policy.step)}
              </span>
            )}
          </span>
        ))}
      </div>
      <div aria-hidden className="absolute inset-x-0 bottom-0 h-2.5">
        {policies
          .filter(({ step }) => within(step))
          .map(({ step, kinds }) => (
            <span
              key={step}
              className={clsx(
                "absolute bottom-0 w-0.5 -translate-x-1/2 rounded-full",
                step === chosen?.step
                  ? "h-2.5 bg-accent"
                  : kinds.includes("best")
                    ? "h-2.5 bg-good"
                    : "h-1.5 bg-line-strong",
              )}
              style={{ left: `${share(step)}%` }}
            />
          ))}
      </div>
      {moment !== null && within(moment) && (
        <span
          aria-hidden
          className="pointer-events-none absolute inset-y-0 w-0.5 -translate-x-1/2 bg-accent"
          style={{ left: `${share(moment)}%` }}
        />
      )}
    </div>
  );
}
