import { type Chapter, middleOf } from "@/components/player";
import type { EvaluatedEpisode, Evaluation } from "@/lib/api";
import { whyNoVideo } from "@/lib/evaluations";

/** The video of an evaluation, or why there is none. */
export type Film = (
  | { missing: null; video: NonNullable<NonNullable<Evaluation["summary"]>["video"]>; url: string }
  | { missing: string; video: null; url: null }
) & { chapters: Chapter[] };

/** `broken`: it could not be played. */
export function filmOf(evaluation: Evaluation, broken: boolean): Film {
  const { summary, video_url: url } = evaluation;
  const video = summary?.video ?? null;
  const chapters = chaptersOf(summary?.episodes ?? [], video?.fps ?? 0);
  const missing = broken ? "This video is not kept any more" : whyNoVideo(evaluation);
  return missing === null && video && url
    ? { missing, video, url, chapters }
    : { missing: missing ?? "No video", video: null, url: null, chapters };
}

/** One chapter of the video for each episode. */
export function chaptersOf(episodes: readonly EvaluatedEpisode[], fps: number): Chapter[] {
  return episodes.map(({ first_frame }, i) => ({
    label: `episode ${i + 1} of ${episodes.length}`,
    start: first_frame === 0 ? 0 : middleOf(first_frame, fps),
  }));
}
