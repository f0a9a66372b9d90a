import { expect, test } from "vitest";
import { captionOf, chartFileName } from "./export";
import { smallChart } from "./prepare/fixtures";
import type { MarkKind } from "./prepare/marks";

const spec = {
  ...smallChart(),
  title: "Episode return",
  subject: "PPO baseline · CartPole-v1 · PPO · seed 7",
  references: [{ label: "Reward threshold", value: 475 }],
};

test("a file name includes the run", () => {
  expect(chartFileName(spec)).toBe("ppo-baseline-cartpole-v1-ppo-seed-7-episode-return");
});

test("a picture names its subject, its curves and how they were drawn", () => {
  const model = {
    notes: ["3 points outside the range"],
    scale: "log" as const,
    x: [0, 100] as [number, number],
  };
  const caption = captionOf(spec, model, { hidden: new Set(), smoothing: 0.95 });
  expect(caption.subject).toBe(spec.subject);
  expect(caption.entries.map(({ label }) => label)).toEqual(["Episode", "Reward threshold 475"]);
  expect(caption.notes).toBe("Smoothing: EMA 0.95 · logarithmic axis · 3 points outside the range");
  const hidden = captionOf(spec, model, { hidden: new Set(["a"]), smoothing: 0.95 });
  expect(hidden.entries.map(({ label }) => label)).toEqual(["Reward threshold 475"]);
});

test("a picture names its marks", () => {
  const model = { notes: [], scale: "linear" as const, x: [0, 100] as [number, number] };
  const mark = (kind: MarkKind, at: number) => ({ id: `${kind}-${at}`, kind, at, text: "" });
  const marks = [mark("solved", 40), mark("solved", 60), mark("best", 50), mark("checkpoint", 200)];
  const { entries } = captionOf(spec, model, { hidden: new Set(["a"]), smoothing: 0 }, marks);
  expect(entries.slice(1)).toEqual([
    { label: "Solved", mark: "solved" },
    { label: "Best policy", mark: "best" },
  ]);
});
