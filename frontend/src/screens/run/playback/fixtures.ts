import type { Evaluation } from "@/api/types";

const spread = { mean: 320.5, std: 12, min: 1, max: 500 };

/** A completed evaluation of two episodes, but for `change`. */
export const evaluation = (id: string, change: Partial<Evaluation> = {}): Evaluation => ({
  id,
  run_id: "a",
  origin: "asked",
  status: "completed",
  cause: null,
  created_at: "2026-11-21T12:00:00Z",
  started_at: "2026-11-21T12:00:00Z",
  ended_at: "2026-11-21T12:00:04Z",
  episodes: 2,
  seed: 1,
  deterministic: true,
  policy: "latest",
  checkpoint_step: 5000,
  episodes_done: 2,
  video: true,
  has_steps: false,
  has_pictures: false,
  has_frames: false,
  policy_bytes: null,
  short_of_solved: null,
  video_url: `/api/runs/a/artifacts/eval/${id}.mp4`,
  summary: {
    episodes: [0, 100].map((first_frame, index) => ({
      index,
      episode_return: 100,
      episode_length: 100,
      terminated: index === 0,
      truncated: index === 1,
      seed: index,
      first_frame,
    })),
    episode_return: spread,
    episode_length: spread,
    terminated: 1,
    truncated: 1,
    video: { file: "", width: 600, height: 432, fps: 50, frames: 200, duration: 4, size_bytes: 1 },
  },
  ...change,
});
