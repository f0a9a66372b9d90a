import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { Evaluation, RunDetail } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { EvaluationView } from "./evaluation-view";

const run = { id: "a", actor: "foreign", status: "running", policy_step: null } as RunDetail;

const evaluation: Evaluation = {
  id: "e",
  run_id: "a",
  origin: "asked",
  status: "completed",
  cause: null,
  created_at: "2026-11-21T12:00:00Z",
  started_at: "2026-11-21T12:00:00Z",
  ended_at: "2026-11-21T12:00:00Z",
  episodes: 1,
  seed: 1,
  deterministic: true,
  policy: "latest",
  checkpoint_step: 5000,
  episodes_done: 0,
  video: true,
  has_steps: false,
  has_pictures: false,
  has_frames: false,
  policy_bytes: null,
  short_of_solved: null,
  video_url: "/api/runs/a/artifacts/eval/e.mp4",
  summary: {
    episodes: [],
    episode_return: null,
    episode_length: null,
    terminated: 0,
    truncated: 0,
    video: { file: "", width: 600, height: 432, fps: 50, frames: 200, duration: 4, size_bytes: 1 },
  },
};

test("nothing is invented about a video logged by a program", async () => {
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockReturnValue();
  serve({ "GET /runs/a/evaluations": () => ({ body: [evaluation] }) });
  renderWithQueries(<EvaluationView run={run} />);
  expect(await screen.findByLabelText(/^Video of the evaluation/)).toBeInTheDocument();
  expect(screen.getByText("Video of its own program")).toBeVisible();
  expect(screen.getByText(/handed over at step 5,000/)).toBeVisible();
  expect(screen.queryByText("Mean return")).toBeNull();
  expect(screen.queryByRole("list", { name: "Episodes" })).toBeNull();
  expect(screen.queryByText(/seed|greedy|deterministic/)).toBeNull();
});
