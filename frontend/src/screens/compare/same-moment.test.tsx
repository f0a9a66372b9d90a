import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { aRun, compared, comparison } from "./fixtures";
import { SameMoment } from "./same-moment";

const runs = [aRun("a", { step: 1_000 }), aRun("b", { step: 400 }), aRun("c", { step: 900 })];
const both = comparison(
  [
    compared("a", 0, { y: [0, 10, 20, 40, 60] }),
    compared("b", 0, { y: [0, 30, null, null, null] }),
    compared("c", 0, { y: [0, 5, 5, 50, null] }),
  ],
  {
    steps: [0, 250, 500, 750, 1_000],
    environments: [{ title: "CartPole-v1", run_ids: ["a", "b", "c"], threshold: null }],
  },
);

const film = (...steps: number[]) => steps.map((step) => ({ step, kinds: ["film"] }));

function serveFilm() {
  const clips = (id: string) => (body: unknown) => {
    const { step, seed, greedy } = body as { step: number; seed: number; greedy: boolean };
    const name = `clip_${step}_${seed}_greedy`;
    return {
      body: {
        ...{ id: name, run_id: id, kind: "clip", status: "ready", step, seed, greedy },
        cause: null,
        episodes: [{ step, episode_return: step / 10, first_frame: 0 }],
        video: { duration: 2, fps: 50, width: 60, height: 40 },
        video_url: `/api/runs/${id}/artifacts/film/clips/${name}.mp4`,
      },
    };
  };
  const kept = {
    a: film(0, 300, 600, 1_000),
    b: film(0, 350),
    c: [{ step: 900, kinds: ["latest"] }],
  };
  return serve({
    "GET /compare": () => ({ body: both }),
    ...Object.fromEntries(
      Object.entries(kept).flatMap(([id, policies]) => [
        [`GET /runs/${id}/policies`, () => ({ body: { policies } })],
        [`GET /runs/${id}/clips`, () => ({ body: [] })],
        [`POST /runs/${id}/clips`, clips(id)],
      ]),
    ),
  });
}

beforeEach(() => {
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockReturnValue();
  serveFilm();
});

const show = (by: "step" | "return") =>
  renderWithQueries(<SameMoment by={by} runs={runs} seriesStyles={new Map()} aside={null} />);
const tile = (name: string) => within(screen.getByRole("listitem", { name }));
const move = (label: string, value: number) =>
  fireEvent.change(screen.getByRole("slider", { name: label }), { target: { value } });

test("each run plays its policy of the same step", async () => {
  show("step");
  expect(screen.getByText("At step 400")).toBeVisible();
  expect(await tile("A").findByText("Policy of step 300 · return 30.0")).toBeVisible();
  expect(await tile("B").findByText("Policy of step 350 · return 35.0")).toBeVisible();
  expect(tile("A").getByLabelText("Video of A")).toHaveAttribute(
    "src",
    expect.stringContaining("clip_300_1000000_greedy"),
  );
  move("Step", 700);
  expect(await tile("A").findByText(/^Policy of step 600 ·/)).toBeVisible();
  await waitFor(() =>
    expect(screen.getByLabelText("Video of A")).toHaveAttribute(
      "src",
      expect.stringContaining("clip_600_"),
    ),
  );
});

test("a run without a film says so and plays no later policy", async () => {
  show("step");
  expect(
    await tile("C").findByText("This run keeps no film. The first one kept is of step 900."),
  ).toBeVisible();
  expect(screen.queryByLabelText("Video of C")).not.toBeInTheDocument();
});

test("at the same return, each run plays its policy of that time", async () => {
  show("return");
  expect(await screen.findByText("At a mean return of 30")).toBeVisible();
  expect(
    await tile("A").findByText("Reached at step 750 · Policy of step 1,000 · return 100.0"),
  ).toBeVisible();
  expect(await tile("B").findByText(/^Reached at step 250 · Policy of step 350 ·/)).toBeVisible();
  expect(await tile("C").findByText(/^Reached at step 750 · Policy of step 900 ·/)).toBeVisible();
});

test("a run that never reached the return says so with its best return", async () => {
  show("return");
  await screen.findByText("At a mean return of 30");
  move("Mean return", 48);
  expect(await tile("A").findByText(/^Reached at step 1,000 ·/)).toBeVisible();
  expect(tile("B").getByText("It never had this return. Its best is 30.")).toBeVisible();
  expect(screen.queryByLabelText("Video of B")).not.toBeInTheDocument();
});
