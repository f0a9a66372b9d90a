"use client";

import { useQuery } from "@tanstack/react-query";
import { apiLink } from "@/api/http";
import { framesQuery } from "@/api/recording";
import type { Evaluation, KeptFrame, Verification } from "@/api/types";
import { count } from "@/lib/number";

const REASONS: Record<KeptFrame["reason"], string> = {
  error: "before the error",
  end: "end",
  spike: "reward spike",
  interval: "in between",
};

interface KeptFramesProps {
  evaluation: Evaluation;
  /** Shows a step in the video; null if there is no video. */
  onPick: ((episode: number, index: number) => void) | null;
}

/** The frames of an evaluation that are kept as pictures, in the order in which they were played. */
export function KeptFrames({ evaluation, onPick }: KeptFramesProps) {
  const { data } = useQuery({
    ...framesQuery(evaluation.run_id, evaluation.id),
    enabled: evaluation.has_frames,
  });
  if (!data || data.frames.length === 0) return null;
  return (
    <ul aria-label="Kept frames" className="flex gap-2 overflow-x-auto pb-1">
      {data.frames.map((frame) => (
        <li key={frame.url} className="w-28 shrink-0">
          <Frame frame={frame} onPick={onPick} />
        </li>
      ))}
    </ul>
  );
}

function Frame({ frame, onPick }: { frame: KeptFrame; onPick: KeptFramesProps["onPick"] }) {
  const { episode, index, reason, url } = frame;
  const what = `Episode ${episode + 1}, step ${count(index)}: ${REASONS[reason]}`;
  const picture = (
    <>
      {/* The export has no image service, and the picture is small already. */}
      {/* eslint-disable-next-line @next/next/no-img-element */}
      <img
        src={apiLink(url)}
        alt={what}
        loading="lazy"
        className="aspect-3/2 w-full rounded-sm border border-line bg-sunken object-contain"
      />
      <span aria-hidden className="mt-1 block truncate text-2xs text-ink-faint tabular-nums">
        {episode + 1} · {count(index)} · {REASONS[reason]}
      </span>
    </>
  );
  return onPick ? (
    <button type="button" className="w-full text-left" onClick={() => onPick(episode, index)}>
      {picture}
    </button>
  ) : (
    <a href={apiLink(url)} target="_blank" rel="noreferrer" className="block">
      {picture}
    </a>
  );
}

/** The result of verifying an evaluation, or its progress. */
export function verificationText({
  status,
  identical,
  steps = 0,
  first_difference: first,
  cause,
}: Verification): string | null {
  if (status === "running")
    return steps > 0 ? `${count(steps)} records compared` : "Playing again…";
  if (status === "failed") return cause ?? "It could not be verified.";
  if (identical) return `Identical: ${count(steps)} records`;
  return first
    ? `Differs at step ${count(first.index)} of episode ${first.episode + 1}: ${first.column}`
    : (cause ?? null);
}
