import { whyNoVideo } from "@/api/evaluate";
import type { EvaluatedEpisode, Evaluation, KeyMoment } from "@/api/types";
import { decimal } from "@/lib/number";
import { middleOf } from "@/player/video/playback-controller";
import { TROUBLE_TEXT, type VideoTrouble } from "@/player/video/player";
import type { Chapter } from "@/player/video/shortcuts";

/** The video of an evaluation, or why there is none. */
export type Film = (
  | { missing: null; video: NonNullable<NonNullable<Evaluation["summary"]>["video"]>; url: string }
  | { missing: string; video: null; url: null }
) & { chapters: Chapter[] };

/** `trouble`: why it does not play; null if it does. */
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

const NAMES: Record<KeyMoment["kind"], string> = {
  largest_reward: "Largest reward",
  largest_surprise: "Largest surprise",
  value_collapse: "Value collapses",
  final_steps: "Last ten steps",
};

/** What each kind means, shown on hover. */
export const MEANINGS: Record<KeyMoment["kind"], string> = {
  largest_reward: "The step that earned the most",
  largest_surprise: "Where |r + γV(s′) − V(s)| is greatest: the result was least expected",
  value_collapse: "From here the policy's value falls deepest within ten steps",
  final_steps: "Ten steps before the episode terminated",
};

export function momentName(moment: KeyMoment): string {
  return NAMES[moment.kind];
}

/** The reward with its sign, the size of the surprise, the collapse as a negative number; "" without an amount. */
export function momentAmount({ kind, amount }: KeyMoment): string {
  if (amount === null) return "";
  if (kind === "value_collapse") return `−${decimal(amount)}`;
  return kind === "largest_reward" && amount > 0 ? `+${decimal(amount)}` : decimal(amount);
}

/** Marks of the key moments on the time bar. */
export function ticksOf(moments: readonly KeyMoment[], fps: number): Chapter[] {
  return moments.map((moment) => ({
    label: `${momentName(moment).toLowerCase()} of episode ${moment.episode}`,
    start: middleOf(moment.frame, fps),
  }));
}
