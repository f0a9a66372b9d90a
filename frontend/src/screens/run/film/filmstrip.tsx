"use client";

import clsx from "clsx";
import { Clapperboard } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from "react";
import { useRunStill } from "@/api/choices";
import { apiLink } from "@/api/http";
import { whyNotTrusted } from "@/api/run-availability";
import type { KeptPolicy, RunDetail } from "@/api/types";
import { type ChartGroup, useMoment, useStepScale } from "@/charts/chart-group";
import { CHART_INSET, type ChartAxis } from "@/charts/plot-options";
import { stepScale, type StepScale } from "@/charts/prepare/axes";
import { useInView } from "@/lib/media";
import { brief, bytes, count, decimal, plural } from "@/lib/number";
import {
  clipOptionsOf,
  type Frame,
  frames,
  picturesOf,
  policyAfter,
  type Picture,
  policyAt,
  returnScale,
  useDecoded,
  useFilm,
  usePictures,
} from "@/player/film";
import { usePageSeen } from "@/player/session/watch-session";
import { Button } from "@/ui/button";
import { useFilmChoice, whyNoFilm } from "./film-choice";

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
  const { seed, greedy } = clipOptionsOf(run);
  const [, choose] = useFilmChoice(run, group);
  const { policies, clips } = useFilm(run);
  const whyNotFilmed = whyNotTrusted(run);
  const kept = policies.data?.policies ?? NONE;
  const last = kept.at(-1)?.step ?? 0;
  // Where steps lie on the axis is known a moment after the axis was changed: until then the strip is the whole training.
  const scale = useStepScale(group);
  const [from, to] = scale ? axis.range : ([0, Math.max(1, last)] as const);
  const placed = useMemo(() => scale ?? stepScale(last), [scale, last]);
  const width = axis.width - CHART_INSET.left - CHART_INSET.right;
  const places = Math.max(1, Math.floor(width / PICTURE));
  const pictures = useMemo(
    () => picturesOf(clips.data ?? [], { seed, greedy }),
    [clips.data, seed, greedy],
  );
  const cells = useMemo(
    () => frames(kept, pictures, [from, to], places, placed.placeOf),
    [kept, pictures, from, to, places, placed],
  );
  usePictures(run, seen && pageSeen && whyNotFilmed === null, cells);
  useDecoded(
    useMemo(() => (seen ? [...pictures.values()].map(({ url }) => url) : []), [seen, pictures]),
  );
  return (
    <div ref={strip} className="flex flex-col gap-1 pt-1">
      <div style={{ marginLeft: CHART_INSET.left, marginRight: CHART_INSET.right }}>
        {kept.length > 0 ? (
          <StripFrames
            policies={kept}
            cells={cells}
            places={places}
            pictures={pictures}
            range={[from, to]}
            scale={placed}
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
            {pictures.size > 0 &&
              ` · returns of one ${greedy ? "greedy " : ""}episode each, seed ${count(seed)}${greedy ? "" : ", with sampled actions"}`}
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

const NONE: readonly KeptPolicy[] = [];

interface StripFramesProps {
  policies: readonly KeptPolicy[];
  /** The policies that have a place, and the number of places. */
  cells: readonly Frame[];
  places: number;
  pictures: ReadonlyMap<number, Picture>;
  /** The positions on the axis that the strip reaches from and to. */
  range: readonly [number, number];
  /** Position of environment steps on the strip. */
  scale: StepScale;
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
  cells,
  places,
  pictures,
  range,
  scale,
  moment,
  stillUrl,
  onMoment,
}: StripFramesProps) {
  const [from, to] = range;
  const chosen = moment === null ? undefined : policyAt(policies, moment);
  const chosenReturn = (chosen && pictures.get(chosen.step)?.episodeReturn) ?? null;
  const heightOf = useMemo(() => returnScale(pictures), [pictures]);
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
      aria-valuetext={
        chosen
          ? `Policy after ${count(chosen.step)} steps${chosenReturn === null ? "" : `, return ${decimal(chosenReturn)}`}`
          : "No moment chosen"
      }
      onKeyDown={onKeyDown}
      onPointerDown={scrub}
      onPointerMove={scrub}
      className="relative h-14 cursor-pointer touch-pan-y rounded-md select-none"
    >
      <div className="absolute inset-x-0 top-0 h-11 overflow-hidden rounded-md border border-line bg-sunken">
        {cells.map(({ policy, picture, share: at }) => (
          <span
            key={at}
            className={clsx(
              "absolute inset-y-0 grid -translate-x-1/2 place-items-center overflow-hidden border-x border-surface text-2xs text-ink-faint",
              chosen?.step === policy.step && "ring-2 ring-accent ring-inset",
            )}
            style={{ left: `${at * 100}%`, width: `${100 / places}%` }}
          >
            {(picture?.url ?? stillUrl) && (
              // The export has no image service, and the picture is small already.
              // eslint-disable-next-line @next/next/no-img-element
              <img
                src={apiLink((picture?.url ?? stillUrl)!)}
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
                {brief(policy.step)}
              </span>
            )}
            {picture && picture.episodeReturn !== null && (
              <Return value={picture.episodeReturn} height={heightOf(picture.episodeReturn)} />
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

interface ReturnProps {
  value: number;
  /**
   * Position between the lowest and the highest return of the strip, from 0 to 1; null: there is nothing to compare.
   */
  height: number | null;
}

/** The return of the pictured episode, over a bar in its colour. */
function Return({ value, height }: ReturnProps) {
  const color =
    height === null
      ? "var(--line-strong)"
      : `color-mix(in oklab, var(--return-high) ${Math.round(height * 100)}%, var(--return-low))`;
  return (
    <>
      <span className="absolute right-0.5 bottom-1.5 rounded-sm bg-surface/90 px-0.5 leading-3 font-medium text-ink tabular-nums">
        {brief(value)}
      </span>
      <span
        aria-hidden
        data-return={height ?? undefined}
        className="absolute inset-x-0 bottom-0 h-1"
        style={{ background: color }}
      />
    </>
  );
}
