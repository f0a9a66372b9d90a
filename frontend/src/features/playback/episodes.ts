import type { EvaluatedEpisode } from "@/lib/api";

/** Seconds into the video at which an episode begins. */
export function startOf(episode: EvaluatedEpisode | undefined, fps: number): number {
  return episode && fps > 0 ? episode.first_frame / fps : 0;
}

/** Half a frame of slack: a seek may land a hair before the frame it aims at. */
const SLACK_FRAMES = 0.5;

/** Position of the episode that plays at `time` seconds. */
export function episodeAt(
  episodes: readonly EvaluatedEpisode[],
  time: number,
  fps: number,
): number {
  const frame = time * fps + SLACK_FRAMES;
  return Math.max(
    0,
    episodes.findLastIndex(({ first_frame }) => first_frame <= frame),
  );
}
