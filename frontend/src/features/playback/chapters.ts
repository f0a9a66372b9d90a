import { whyNoVideo } from "@/api/evaluate";
import type { EvaluatedEpisode, Evaluation } from "@/api/types";
import { middleOf } from "@/player/video/playback-controller";
import { TROUBLE_TEXT, type VideoTrouble } from "@/player/video/player";
import type { Chapter } from "@/player/video/shortcuts";

/** The video of an evaluation, or why there is none. */
export type Film = (
  | { missing: null; video: NonNullable<NonNullable<Evaluation["summary"]>["video"]>; url: string }
  | { missing: string; video: null; url: null }
) & { chapters: Chapter[] };

/** `trouble`: why it does not play, if it does not. */
export function filmOf(evaluation: Evaluation, trouble: VideoTrouble | null): Film {
  const { summary, video_url: url } = evaluation;
  const video = summary?.video ?? null;
  const chapters = chaptersOf(summary?.episodes ?? [], video?.fps ?? 0);
  const missing = trouble === null ? whyNoVideo(evaluation) : TROUBLE_TEXT[trouble];
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
