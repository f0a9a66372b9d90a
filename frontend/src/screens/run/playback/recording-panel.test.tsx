import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { RunDetail, RunRecording } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { RecordingPanel } from "./recording-panel";

const run = { id: "a", actor: "policy", status: "running" } as RunDetail;
const recording: RunRecording = {
  ...{ run_id: "a", detail: "standard", chosen: null, of_family: "standard" },
  levels: (["off", "minimal", "standard", "full"] as const).map((detail) => ({
    detail,
    keeps: `What ${detail} keeps.`,
  })),
  ...{ cost: 0.004, most_cost: 0.02, lowered: null, lowered_at: null },
};

const show = (found: RunRecording, recorded: object[] = []) => {
  let now = found;
  const asked = serve({
    "GET /runs/a/recording": () => ({ body: now }),
    "GET /runs/a/evaluations": (_, query) => ({
      body: query.get("by_run") === "true" ? recorded : [],
    }),
    "PUT /runs/a/recording": (body) => {
      const { detail } = body as { detail: "full" | null };
      now = { ...now, chosen: detail, detail: detail ?? now.of_family, lowered: null };
      return { body: now };
    },
  });
  renderWithQueries(<RecordingPanel run={run} />);
  return asked;
};

test("each detail says what it keeps, and can be changed during the run", async () => {
  const asked = show(recording);
  const choice = await screen.findByRole("combobox", { name: "Detail" });
  expect(choice).toHaveDisplayValue("As its family: standard");
  expect(screen.getByText("What minimal keeps.")).toBeVisible();
  expect(screen.getByText(/took less than 1% of the time/)).toBeVisible();
  await userEvent.selectOptions(choice, "full");
  expect(asked.find(({ route }) => route.startsWith("PUT"))?.body).toEqual({ detail: "full" });
  await screen.findByDisplayValue("full");
});

test("an automatically lowered detail says why and since when", async () => {
  const lowered = { before: "full", after: "standard", cost: 0.09, most: 0.02 } as const;
  show({ ...recording, chosen: "full", detail: "standard", lowered, lowered_at: 12_000 });
  expect(await screen.findByText("Recorded at standard detail since step 12,000")).toBeVisible();
  expect(screen.getByText(/recording took 9% of the time/)).toBeVisible();
});

test("episodes recorded during training can be viewed and filmed", async () => {
  const spread = { mean: 57, std: 0, min: 57, max: 57 };
  const steps = { file: "", rows: 58, size_bytes: 1, blake2b: "", cut: false };
  const summary = {
    episodes: [],
    episode_return: spread,
    episode_length: spread,
    video: null,
    steps,
  };
  const one = { id: "e", run_id: "a", origin: "run", status: "completed", checkpoint_step: 2048 };
  show(recording, [{ ...one, summary, has_steps: true, video_url: null }]);
  await userEvent.click(await screen.findByRole("button", { name: /Step 2.05k/ }));
  expect(screen.getByRole("button", { name: "Film it" })).toBeVisible();
  expect(screen.getByText("Steps")).toBeVisible();
});
