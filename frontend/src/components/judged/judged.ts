import type { ReactNode } from "react";
import type { EpisodeEnding, EpisodeEndings } from "@/api/types";

/** A run whose episodes are judged. `mark` stands before its name where there are several. */
export interface JudgedRun {
  id: string;
  name: string;
  mark?: ReactNode;
}

/** An episode that somebody wants to see: its run and evaluation, and the frame of the video at which it begins. */
export interface WatchedEpisode {
  run: string;
  evaluation: string;
  frame: number;
}

/** Said of an episode without a video. Its evaluation, which a press shows, has a button that films it. */
export const NOT_KEPT = "No video of it is kept. One can be made while its step records are.";

/** How the episodes of one run ended: the share of all of them, null if none was recorded, and of each evaluation. */
export interface RunShare {
  share: number | null;
  shares: number[];
}

export function shareOf(
  runId: string,
  { shares }: Pick<EpisodeEnding, "shares">,
  evaluations: EpisodeEndings["evaluations"],
): RunShare {
  const own = evaluations.flatMap(({ run_id, episodes }, place) =>
    run_id === runId && episodes > 0 ? [{ share: shares[place] ?? 0, episodes }] : [],
  );
  const all = own.reduce((sum, { episodes }) => sum + episodes, 0);
  const ended = own.reduce((sum, { share, episodes }) => sum + share * episodes, 0);
  return { share: all > 0 ? ended / all : null, shares: own.map(({ share }) => share) };
}
