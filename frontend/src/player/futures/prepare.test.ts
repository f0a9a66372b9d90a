import { expect, test } from "vitest";
import type { Future, OtherActions } from "@/api/types";
import {
  futureLines,
  futureSentence,
  numberProblem,
  stepAt,
  stepTitle,
  typedNumbers,
} from "./prepare";

const EPISODES = [
  { first_frame: 0, episode_length: 9 },
  { first_frame: 10, episode_length: 20 },
];

test.each([
  [0, 0, 0],
  [9, 0, 9],
  [10, 1, 0],
  [17, 1, 7],
  [99, 1, 20],
])("frame %d shows episode %d at step %d", (frame, episode, step) => {
  expect(stepAt(EPISODES, frame)).toEqual({ episode, step });
});

test("a video without episodes shows no step", () => {
  expect(stepAt([], 3)).toBeNull();
});

test("the menu names its step and the action taken there", () => {
  expect(stepTitle({ episode: 1, step: 1200 }, "push right")).toBe(
    "Episode 2, step 1,200: push right",
  );
  expect(stepTitle({ episode: 0, step: 3 }, null)).toBe("Episode 1, step 3");
});

const OUTCOME: NonNullable<Future["outcome"]> = {
  episode_return: 9,
  episode_length: 9,
  terminated: true,
  truncated: false,
  cut: false,
  recorded_return: 113,
  recorded_length: 113,
};
const linesOf = (change: Partial<typeof OUTCOME> = {}) =>
  futureLines({ outcome: { ...OUTCOME, ...change } } as Future, {
    taken: "push right",
    other: "push left",
  })!;

test("both futures are described with what they earn from the step on", () => {
  expect(futureSentence(linesOf())).toBe("push right: 113 more · push left instead: 9 more");
  expect(linesOf().other.end).toBe("terminated after 9 steps");
  expect(linesOf().recorded.end).toBe("after 113 steps");
  expect(linesOf({ episode_return: -1.5 }).other.gain).toBe("1.50 less");
  expect(linesOf({ terminated: false, truncated: true }).other.end).toBe(
    "ended by the time limit after 9 steps",
  );
});

test("a truncated future is compared over equally many steps and says so", () => {
  const lines = linesOf({ cut: true, terminated: false, recorded_length: 9, recorded_return: 9 });
  expect(lines.recorded.end).toBe("in 9 steps");
  expect(lines.other.end).toBe("in 9 steps, not ended yet");
});

test("truncated records say that the sum is unknown", () => {
  expect(linesOf({ recorded_return: null }).recorded.gain).toBe("not recorded to its end");
});

test("there is no description before a future is played", () => {
  expect(futureLines({ outcome: null } as Future, { taken: "a", other: "b" })).toBeNull();
});

const offered = (kind: string, action: number[], layout: object = {}) =>
  ({
    space: { layout: { kind, ...layout }, labels: ["torque"] },
    taken: { name: "", action },
  }) as unknown as OtherActions;

test("the numbers of a continuous action can be typed within their bounds", () => {
  const [torque] = typedNumbers(offered("Box", [0.5], { low: [-2], high: [null] }))!;
  expect(torque).toEqual({ label: "torque", value: 0.5, minimum: -2, maximum: null });
  expect(numberProblem(torque!, "1e3")).toBeNull();
  expect(numberProblem(torque!, "-2.1")).toBe("Must be at least -2");
  expect(numberProblem(torque!, "much")).toBe("Enter a number");
});

test("named actions, and actions of many numbers, are not typed", () => {
  expect(typedNumbers(offered("Discrete", [1]))).toBeNull();
  expect(typedNumbers(offered("Box", Array<number>(9).fill(0)))).toBeNull();
});
