import { fireEvent, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { Evaluation, RunDetail } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { EvaluationView } from "./evaluation-view";
import { evaluation } from "./fixtures";

const run = { id: "a", actor: "policy", status: "stopped", policy_step: 5000 } as RunDetail;
const show = (evaluations: Evaluation[], of: RunDetail = run) => {
  const asked = serve({
    "GET /runs/a/evaluations": () => ({ body: evaluations }),
    "POST /runs/a/evaluations": () => ({
      status: 202,
      body: evaluation("new", { status: "queued", summary: null, video_url: null }),
    }),
  });
  renderWithQueries(<EvaluationView run={of} />);
  return asked;
};
const evaluateButton = () => screen.getByRole("button", { name: /evaluat/i });

beforeEach(() => {
  window.history.replaceState(null, "", "/runs/view?id=a");
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockReturnValue();
});

test("without an evaluation it explains what one is", async () => {
  show([]);
  expect(await screen.findByText("No evaluation yet")).toBeVisible();
  expect(evaluateButton()).toBeEnabled();
});

test.each([
  ["created", /Start the run first/],
  ["queued", /waits in the queue/],
  ["failed", /ended before its first checkpoint/],
] as const)(
  "a %s run without a policy says why there is nothing to evaluate",
  async (status, why) => {
    show([], { ...run, status, policy_step: null });
    expect(await screen.findByText(why)).toBeVisible();
    expect(evaluateButton()).toBeDisabled();
  },
);

test("an evaluation too short to prove the run solved says so", async () => {
  const short_of_solved =
    "The mean return of 500.0 reaches the threshold, but 5 episodes may be luck.";
  show([evaluation("one", { short_of_solved })]);
  expect(await screen.findByText(short_of_solved)).toBeVisible();
});

test("a running run can be evaluated before its first checkpoint", async () => {
  show([], { ...run, status: "running", policy_step: null });
  await screen.findByText("No evaluation yet");
  expect(evaluateButton()).toBeEnabled();
});

test("a request is immediately shown as waiting", async () => {
  const asked = show([]);
  await screen.findByText("No evaluation yet");
  await userEvent.selectOptions(screen.getByLabelText("Episodes to evaluate"), "3");
  await userEvent.click(evaluateButton());
  expect(await screen.findByRole("status")).toHaveTextContent("Waiting to start");
  expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toEqual({ episodes: 3 });
  expect(evaluateButton()).toHaveAttribute("aria-disabled");
});

test("a running evaluation counts episodes while the last result stays in the player", async () => {
  show([evaluation("b", { status: "running", episodes: 5, episodes_done: 2 }), evaluation("a")]);
  expect(await screen.findByText("Episode 3 of 5")).toBeVisible();
  expect(screen.getByLabelText(/^Video of the evaluation/)).toBeVisible();
});

test("a failed evaluation names its cause and can be repeated unchanged", async () => {
  const asked = show([
    evaluation("b", {
      status: "failed",
      cause: "the checkpoint is damaged",
      summary: null,
      seed: 9,
      deterministic: false,
    }),
  ]);
  expect(await screen.findByRole("alert")).toHaveTextContent("the checkpoint is damaged");
  await userEvent.click(screen.getByRole("button", { name: "Evaluate again" }));
  expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toEqual({
    episodes: 2,
    seed: 9,
    policy: "latest",
    deterministic: false,
  });
});

test("options can be set and an invalid seed is refused", async () => {
  const best = { best_policy: { step: 4000, mean_return: 480 } };
  const asked = show([], { ...run, ...best } as RunDetail);
  await screen.findByText("No evaluation yet");
  await userEvent.click(screen.getByRole("button", { name: "Options" }));
  await userEvent.type(screen.getByLabelText("Seed"), "x");
  await userEvent.click(screen.getByRole("button", { name: "Run evaluation" }));
  expect(screen.getByLabelText("Seed")).toHaveAccessibleDescription("Enter a whole number");
  expect(asked.some(({ route }) => route.startsWith("POST"))).toBe(false);

  await userEvent.clear(screen.getByLabelText("Seed"));
  await userEvent.type(screen.getByLabelText("Seed"), "200k");
  await userEvent.selectOptions(screen.getByLabelText("Actions"), "sampled");
  await userEvent.selectOptions(screen.getByLabelText("Policy to evaluate"), "best");
  await userEvent.click(screen.getByRole("button", { name: "Run evaluation" }));
  await screen.findByRole("status");
  expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toEqual({
    seed: 200_000,
    deterministic: false,
    policy: "best",
  });
});

test("the best policy is played by default and the form names its step", async () => {
  const best_policy = { step: 4000, mean_return: 480, std_return: 1, episodes: 10 };
  const asked = show([], { ...run, best_policy });
  await screen.findByText("No evaluation yet");
  expect(screen.getByLabelText("Policy to evaluate")).toHaveDisplayValue("Best, step 4k");
  await userEvent.click(screen.getByRole("button", { name: "Run evaluation" }));
  await screen.findByRole("status");
  expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toMatchObject({
    policy: "best",
  });
});

test("an evaluation older than the policy says by how many steps", async () => {
  show([evaluation("a", { checkpoint_step: 3000 })]);
  expect(await screen.findByText(/policy of step 3k/)).toHaveTextContent("2k steps later");
});

test("a completed evaluation shows its figures, and episodes link into the video", async () => {
  show([evaluation("a")]);
  const video = await screen.findByLabelText<HTMLVideoElement>(
    /^Video of the evaluation at step 5,000/,
  );
  expect(video).toHaveAttribute("src", "http://service.test/api/runs/a/artifacts/eval/a.mp4");
  expect(screen.getAllByText("320.5")).toHaveLength(2);
  await userEvent.click(screen.getByRole("button", { name: /^Play episode 2/ }));
  expect(video.currentTime).toBeCloseTo(2.01);
  expect(video.play).toHaveBeenCalled();
  const second = () => screen.getByRole("button", { name: /^Play episode 2/ });
  expect(second()).toHaveAttribute("aria-current", "true");

  screen.getByRole("group", { name: /^Player of/ }).focus();
  await userEvent.keyboard("{ArrowRight}");
  expect(video.currentTime).toBeCloseTo(2.03);
  await userEvent.keyboard("1");
  expect(video.currentTime).toBe(0);
  expect(second()).not.toHaveAttribute("aria-current");
});

test("the address can select an older evaluation and a start frame", async () => {
  window.history.replaceState(null, "", "/runs/view?id=a&evaluation=a&frame=50");
  show([evaluation("b"), evaluation("a")]);
  const video = await screen.findByLabelText<HTMLVideoElement>(/^Video of the evaluation/);
  expect(video).toHaveAttribute("src", "http://service.test/api/runs/a/artifacts/eval/a.mp4");
  fireEvent.loadedMetadata(video);
  expect(video.currentTime).toBeCloseTo(1.01);
});

test("an older evaluation can be shown again, even without its video", async () => {
  show([evaluation("b"), evaluation("a", { video_url: null, checkpoint_step: 1000 })]);
  await screen.findByLabelText(/^Video of the evaluation/);
  await userEvent.click(screen.getByText("All evaluations"));
  const list = screen.getByRole("list", { name: "All evaluations" });
  await userEvent.click(within(list).getByText("Step 1k"));
  expect(await screen.findByText("Its video is not kept")).toBeVisible();
  expect(screen.getAllByText("320.5")).not.toHaveLength(0);
  expect(screen.queryByRole("button", { name: /^Play episode 1/ })).toBeNull();
});

test.each([
  ["is over", "2099-01-01T00:00:00Z", 0],
  ["stands", "2026-01-01T00:00:00Z", 1],
])("a refusal %s when the newest evaluation ended at %s", async (_, ended_at, alerts) => {
  let all: Evaluation[] = [];
  serve({
    "GET /runs/a/evaluations": () => ({ body: all }),
    "POST /runs/a/evaluations": () => {
      all = [evaluation("other", { ended_at })];
      return { status: 409, body: { title: "An evaluation is in progress", detail: "Wait." } };
    },
  });
  renderWithQueries(<EvaluationView run={run} />);
  await screen.findByText("No evaluation yet");
  await userEvent.click(evaluateButton());
  await screen.findByLabelText(/^Video of the evaluation/);
  expect(screen.queryAllByRole("alert")).toHaveLength(alerts);
});

const VIDEO = "GET /runs/a/artifacts/eval/a.mp4";
const showWithVideo = (status: number | null) =>
  serve({
    "GET /runs/a/evaluations": () => ({ body: [evaluation("a")] }),
    ...(status !== null && { [VIDEO]: () => ({ status, body: { title: "Said", detail: "" } }) }),
  });

test("a missing video is reported instead of a broken player", async () => {
  showWithVideo(404);
  renderWithQueries(<EvaluationView run={run} />);
  fireEvent.error(await screen.findByLabelText(/^Video of the evaluation/));
  expect(await screen.findByText("This video is not kept any more")).toBeVisible();
  expect(screen.queryByRole("button", { name: /^Play episode 1/ })).toBeNull();
  expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
});

test.each([
  ["is there", 206],
  ["cannot be read just now", 500],
  ["is asked for while nobody answers", null],
])("a video whose file %s is not reported as missing and can be reloaded", async (_, status) => {
  const asked = showWithVideo(status);
  renderWithQueries(<EvaluationView run={run} />);
  fireEvent.error(await screen.findByLabelText(/^Video of the evaluation/));
  expect(await screen.findByText("This video could not be loaded")).toBeVisible();
  await vi.waitFor(() => expect(asked.map(({ route }) => route)).toContain(VIDEO));
  expect(screen.queryByText(/not kept/)).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(screen.getByLabelText(/^Video of the evaluation/)).toBeInTheDocument();
});

test("the predictions for a frame are shown next to it, and clicking a step of the lines seeks the video", async () => {
  const steps = {
    ...{ run_id: "a", evaluation_id: "a", total: 3, start: 0, stop: 3 },
    info: {
      ...{ observation: { kind: "Box", labels: ["angle"], units: ["rad"] }, squashed: false },
      ...{ action: { kind: "Discrete", labels: ["left", "right"] }, cut: false },
    },
    columns: {
      ...{ episode: [0, 0, 0], index: [0, 1, 2], action: [null, 1, 0], reward: [null, 1, 1] },
      ...{ observation: [[0.5], [0.25], [0]], actor: [null, "policy", "policy"] },
      ...{ terminated: [false, false, true], truncated: [false, false, false] },
      "reading.value": [4, 3, 2],
    },
  };
  serve({
    "GET /runs/a/evaluations": () => ({ body: [evaluation("a")] }),
    "GET /runs/a/evaluations/a/steps": () => ({ body: steps }),
  });
  renderWithQueries(<EvaluationView run={run} />);
  fireEvent.click(await screen.findByText("Policy output"));
  const line = await screen.findByRole("slider", { name: /V\(s\) over the episode/ });
  expect(line).toHaveAttribute("aria-valuetext", expect.stringContaining("step 0: expected 4.00"));
  line.focus();
  await userEvent.keyboard("{ArrowRight}");
  const video = screen.getByLabelText<HTMLVideoElement>(/^Video of the evaluation/);
  expect(video.currentTime).toBeCloseTo(0.03);
  expect(line).toHaveAttribute("aria-valuetext", expect.stringContaining("step 1: expected 3.00"));
  expect(screen.getByText("right, reward 1.00")).toBeVisible();
});

test("the form begins with the actions of the run's evaluations, and sends only what was chosen", async () => {
  const config = { evaluation: { every_steps: 1_000, deterministic: false } };
  const asked = show([], { ...run, config } as RunDetail);
  await screen.findByText("No evaluation yet");
  await userEvent.click(screen.getByRole("button", { name: "Options" }));
  expect(screen.getByLabelText("Actions")).toHaveValue("sampled");
  await userEvent.selectOptions(screen.getByLabelText("Actions"), "greedy");
  await userEvent.click(screen.getByRole("button", { name: "Run evaluation" }));
  await screen.findByRole("status");
  expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toEqual({
    deterministic: true,
  });
});
