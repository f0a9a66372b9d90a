import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { Evaluation } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { choicesOf, pairOnOneSeed } from "./choices";
import { SideBySideDialog } from "./side-by-side-dialog";

const evaluation = (id: string, seeds: number[], change: object = {}) =>
  ({
    ...{ id, run_id: "a", video_url: `/${id}.mp4`, has_steps: true },
    summary: {
      video: { fps: 50 },
      episodes: seeds.map((seed, i) => ({
        ...{ index: i + 1, seed, first_frame: i * 5 },
        ...{ episode_return: 10 * (i + 1), episode_length: 4 },
      })),
    },
    ...change,
  }) as Evaluation;

const columns = (actions: (number | null)[]) => ({
  info: { action: { kind: "Discrete", labels: ["left", "right"] }, cut: false },
  ...{ total: actions.length, start: 0, stop: actions.length },
  columns: { index: actions.map((_, i) => i), action: actions },
});

beforeEach(() => {
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockReturnValue();
  serve({
    "GET /runs/a/evaluations/e/steps": (_, query) => ({
      body: columns(query.get("episode") === "0" ? [null, 0, 1, 1, 1] : [null, 0, 1, 0, 0]),
    }),
    "GET /runs/a/evaluations/f/steps": () => ({ body: columns([null, 0, 1, 1, 1]) }),
    "GET /runs/a/evaluations/gone/steps": () => ({
      status: 404,
      body: { title: "No step records", detail: "They made room for newer ones." },
    }),
  });
});

const show = (evaluations: Evaluation[], first: [string, string]) =>
  renderWithQueries(
    <SideBySideDialog
      choices={choicesOf(evaluations.map((one) => ({ evaluation: one, name: `Step ${one.id}` })))}
      first={first}
      onClose={() => {}}
    />,
  );

test("two episodes are marked where their actions diverge, with names", async () => {
  show([evaluation("e", [7, 8])], ["e 1", "e 2"]);
  const sentence = await screen.findByText(/Their first 2 actions are alike/);
  expect(sentence).toHaveTextContent("In step 3 one does right, the other left.");
  const videos = screen.getAllByLabelText(/^Video of/) as HTMLVideoElement[];
  expect(videos.map(({ currentTime }) => currentTime)).toEqual([0, 5 / 50]);
  await userEvent.click(screen.getByRole("button", { name: "Show this step" }));
  const sides = screen.getAllByRole("figure");
  expect(sides.map((side) => side.textContent)).toEqual([
    expect.stringContaining("rightstep 2"),
    expect.stringContaining("leftstep 2"),
  ]);
});

test("episodes of another evaluation with the same seed can be added", async () => {
  show([evaluation("e", [7, 8]), evaluation("f", [8, 7])], ["e 1", "f 2"]);
  expect(await screen.findByText("Both choose the same actions in all 4 steps.")).toBeVisible();
  const others = within(screen.getByRole("combobox", { name: "Second episode" }))
    .getAllByRole("option")
    .map((option) => (option as HTMLOptionElement).value);
  expect(others).toEqual(["e 2", "f 2"]);
});

test("episodes without video or records cannot be chosen, and missing records are reported", async () => {
  expect(choicesOf([{ evaluation: evaluation("e", [7], { has_steps: false }), name: "" }])).toEqual(
    [],
  );
  show([evaluation("gone", [7, 8])], ["gone 1", "gone 2"]);
  expect(await screen.findByRole("alert")).toHaveTextContent(/made room for newer ones/);
});

test("with several runs, two episodes with one seed are chosen", () => {
  const sources = [evaluation("e", [7, 8]), evaluation("f", [9, 8])];
  const choices = choicesOf(sources.map((one) => ({ evaluation: one, name: "" })));
  expect(pairOnOneSeed(choices)).toEqual(["e 2", "f 2"]);
  expect(pairOnOneSeed(choices.slice(0, 2))).toBeNull();
});
