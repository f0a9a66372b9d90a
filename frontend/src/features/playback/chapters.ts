import { type Chapter, middleOf } from "@/components/player";
import type { EvaluatedEpisode } from "@/lib/api";

/** One chapter of the video for each episode. */
export function chaptersOf(episodes: readonly EvaluatedEpisode[], fps: number): Chapter[] {
  return episodes.map(({ first_frame }, i) => ({
    label: `episode ${i + 1} of ${episodes.length}`,
    start: first_frame === 0 ? 0 : middleOf(first_frame, fps),
  }));
}
