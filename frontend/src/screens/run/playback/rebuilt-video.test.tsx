import { fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { RunDetail } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { EvaluationView } from "./evaluation-view";
import { evaluation } from "./fixtures";

const LONG = { timeout: 20_000 };
const run = { id: "a", actor: "policy", status: "stopped", policy_step: 5000 } as RunDetail;

beforeEach(() => {
  window.history.replaceState(null, "", "/runs/view?id=a");
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockReturnValue();
});

test("a retired video is rebuilt from verified records and plays the requested episode", async () => {
  window.history.replaceState(null, "", "/runs/view?id=a&evaluation=a&frame=50");
  const retired = evaluation("a", { video_url: null, has_steps: true });
  let verification = {
    status: "running",
    film: true,
    identical: null as boolean | null,
    steps: 40,
  };
  let list = [retired];
  const asked = serve({
    "GET /runs/a/evaluations": () => ({ body: list }),
    "GET /runs/a/evaluations/a/verify": () => {
      const found = asked.some(({ route }) => route.startsWith("POST")) ? verification : null;
      return { body: found };
    },
    "POST /runs/a/evaluations/a/film": () => ({ status: 202, body: verification }),
  });
  renderWithQueries(<EvaluationView run={run} />);
  await userEvent.click(await screen.findByRole("button", { name: "Film it again" }));
  expect(await screen.findByText(/^40 of /)).toBeVisible();
  verification = { ...verification, status: "completed", identical: true };
  list = [evaluation("a", { has_steps: true })];
  const video = await screen.findByLabelText<HTMLVideoElement>(
    /^Video of the evaluation/,
    undefined,
    LONG,
  );
  fireEvent.loadedMetadata(video);
  expect(video.currentTime).toBeCloseTo(1.01);
  expect(video.play).toHaveBeenCalled();
});

test("an episode that differs from its records has no video and says where it differs", async () => {
  const verification = {
    ...{ status: "completed", film: true, identical: false, steps: 7 },
    first_difference: { episode: 0, index: 6, column: "reward" },
  };
  serve({
    "GET /runs/a/evaluations": () => ({
      body: [evaluation("a", { video_url: null, has_steps: true })],
    }),
    "GET /runs/a/evaluations/a/verify": () => ({ body: verification }),
  });
  renderWithQueries(<EvaluationView run={run} />);
  expect(await screen.findByText("Differs at step 6 of episode 1: reward")).toBeVisible();
});
