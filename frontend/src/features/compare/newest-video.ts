import type { Evaluation } from "@/api/types";

type Video = NonNullable<NonNullable<Evaluation["summary"]>["video"]>;

export interface Recording {
  evaluation: Evaluation;
  video: Video;
  url: string;
}

/** The newest evaluation with a video. `evaluations` must be newest first. */
export function newestVideo(evaluations: readonly Evaluation[]): Recording | null {
  for (const evaluation of evaluations) {
    const video = evaluation.summary?.video;
    if (video && evaluation.video_url) return { evaluation, video, url: evaluation.video_url };
  }
  return null;
}
