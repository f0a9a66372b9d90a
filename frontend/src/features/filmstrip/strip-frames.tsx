"use client";

import clsx from "clsx";
import { type KeyboardEvent, type PointerEvent, useMemo } from "react";
import { apiLink } from "@/api/http";
import type { Clip, KeptPolicy } from "@/api/types";
import type { StepScale } from "@/charts/prepare/axes";
import { compact, count } from "@/lib/number";
import { frames, policyAfter, policyAt } from "@/player/film";

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
  onMoment: (step: number) => void;
}

/** Pixels of a picture, and of the space between two. */
const PICTURE = 60;
const FAR = 5;

/**
 * Pictures of clips side by side, and a tick for each policy. A click, a drag and the arrow keys choose the moment: one
 * slider, as a screen reader says it, whose value is the policy.
 */
export function StripFrames({
  policies,
  clips,
  range,
  scale,
  width,
  moment,
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
            {picture ? (
              // The export has no image service, and the picture is small already.
              // eslint-disable-next-line @next/next/no-img-element
              <img
                src={apiLink(picture)}
                alt=""
                draggable={false}
                className="absolute inset-0 size-full object-contain"
              />
            ) : (
              compact(policy.step)
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
