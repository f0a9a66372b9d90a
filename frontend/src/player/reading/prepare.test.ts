import { describe, expect, test } from "vitest";
import type { LearnedRewards, StepRecord } from "@/api/types";
import { recordOf } from "../session/testing";
import {
  episodeLines,
  lineScale,
  prepareObservation,
  returnThatCame,
  stepAt,
} from "./prepare-lines";
import { actionText, chosenAction, type DrawnSpace } from "./space";
import { bits, levers, push, reading, torque } from "./testing";

describe("the action", () => {
  const seen = recordOf(3, { reading: reading({ probabilities: [0.9, 0.1] }) });

  test("that was taken is the one that led to the next step, whatever the policy preferred", () =>
    expect(chosenAction(seen, recordOf(4, { action: 1 }), true, push)).toEqual([1]));

  test("of a greedy policy is known in advance and of an exploring one is not", () =>
    expect([chosenAction(seen, null, true, push), chosenAction(seen, null, false, push)]).toEqual([
      [0],
      null,
    ]));

  test("of several choices is listed choice by choice, taken or preferred", () => {
    const several = recordOf(3, { reading: reading({ probabilities: [0.2, 0.7, 0.1, 0.6, 0.4] }) });
    const taken = recordOf(4, { action: [2, 0] });
    expect(chosenAction(several, taken, true, levers)).toEqual([2, 0]);
    expect(chosenAction(several, null, true, levers)).toEqual([1, 0]);
    const lit = recordOf(3, { reading: reading({ probabilities: [0.2, 0.7] }) });
    expect(chosenAction(lit, null, true, bits)).toEqual([0, 1]);
  });

  test("of real numbers has no index", () =>
    expect(chosenAction(seen, recordOf(4, { action: [0.5] }), true, torque)).toBeNull());

  test("does not follow from the last step of an episode", () =>
    expect(chosenAction({ ...seen, terminated: true }, null, true, push)).toBeNull());

  test.each<[StepRecord["action"], DrawnSpace, string | null]>([
    [1, push, "push right"],
    [7, push, "7"],
    [-1, { ...push, starts: [-1] }, "push left"],
    [3, { kind: "Discrete", n: 3, starts: [2] }, "3"],
    [[0.5], torque, "torque 0.5000"],
    [[2, 0], levers, "hoist 2, brake 0"],
    [null, push, null],
  ])("%j is said in words", (action, space, words) =>
    expect(actionText(action, space)).toBe(words),
  );
});

describe("an observation", () => {
  const cart: DrawnSpace = {
    ...{ kind: "Box", shape: [2], labels: ["pole angle", ""], units: ["rad", ""] },
  };

  test("is named component by component, with units", () =>
    expect(prepareObservation(recordOf(0, { observation: [0.1, null] }), cart)).toEqual({
      kind: "values",
      values: [
        { label: "pole angle", text: "0.1000", unit: "rad" },
        { label: "1", text: "–", unit: null },
      ],
    }));

  test("of a state is its number", () => {
    const lake = { kind: "Discrete", n: 16 };
    expect(prepareObservation(recordOf(0, { observation: 14 }), lake)).toEqual({
      kind: "said",
      text: "State 14 of 16",
    });
  });

  test("of a state that numbers several quantities is each of them", () => {
    const taxi = {
      ...{ kind: "Discrete", n: 40 },
      factors: [
        { name: "row", n: 5, start: 1, labels: [] },
        { name: "passenger", n: 2, start: 0, labels: ["waits", "in the taxi"] },
        { name: "destination", n: 4, start: 0, labels: [] },
      ],
    };
    const state = (3 * 2 + 1) * 4 + 2;
    expect(prepareObservation(recordOf(0, { observation: state }), taxi)).toMatchObject({
      values: [
        { label: "row", text: "4" },
        { label: "passenger", text: "in the taxi" },
        { label: "destination", text: "2" },
        { label: "state", text: "30" },
      ],
    });
  });

  test("that is composed is listed by the path to each part", () => {
    const observation = { hand: [12, 1], ace: true } as unknown as StepRecord["observation"];
    expect(prepareObservation(recordOf(0, { observation }), { kind: "Dict" })).toMatchObject({
      values: [
        { label: "hand · 0", text: "12.0" },
        { label: "hand · 1" },
        { label: "ace", text: "true" },
      ],
    });
  });

  test("of a picture is described in words", () => {
    const pong = { kind: "Box", shape: [4, 84, 84], dtype: "uint8" };
    expect(prepareObservation(recordOf(0, { observation: null }), pong)).toMatchObject({
      text: "A picture of 4 × 84 × 84 numbers",
    });
  });

  test("of very many numbers lists the first and counts the rest", () => {
    const observation = new Array(1000).fill(0);
    const picture = prepareObservation(recordOf(0, { observation }), {
      kind: "Box",
      shape: [1000],
    });
    expect(picture.kind === "values" && picture.values.at(-1)).toMatchObject({ text: "936 more" });
  });
});

describe("the lines of an episode", () => {
  const step = (index: number, value: number | null, change: Partial<StepRecord> = {}) =>
    recordOf(index, { reward: index === 0 ? null : 1, reading: reading({ value }), ...change });
  const over = [step(0, 2), step(1, null), step(2, 1, { terminated: true })];
  const raw: LearnedRewards = {
    ...{ gamma: 0.5, scale: "raw", lives_end_episodes: false, entropy_bonus: false },
    ...{ comparable: true, note: null },
  };
  const known = { learned: raw, isOver: true };

  test("discount what later actions earned", () =>
    expect(returnThatCame(over, raw)).toEqual([1.5, 1, 0]));

  test("count rewards as the policy learned from them", () => {
    const paid = [step(0, 2), step(1, 2, { reward: 7 }), step(2, 1, { reward: -3 })];
    expect(returnThatCame(paid, { ...raw, scale: "sign" })).toEqual([0.5, -1, 0]);
  });

  test("leave a gap without a prediction and start rewards with the first action", () =>
    expect(episodeLines(over, known)).toEqual({
      ...{ first: 0, expected: { name: "V(s)", values: [2, null, 1] } },
      ...{ came: [1.5, 1, 0], rewards: [null, 1, 1], note: null },
    }));

  test("do not show the future before the episode is over", () =>
    expect(episodeLines(over.slice(0, 2), { ...known, isOver: false }).came).toBeNull());

  test("are not compared if the policy predicts something else, and say why", () => {
    const learned: LearnedRewards = { ...raw, comparable: false, note: "Of normalised rewards." };
    const { came, note } = episodeLines(over, { ...known, learned });
    expect([came, note]).toEqual([null, "Of normalised rewards."]);
  });

  test("say if a limit truncated the episode", () =>
    expect(episodeLines([step(0, 1), step(1, 1, { truncated: true })], known).note).toContain(
      "limit",
    ));

  test("use the greatest Q-value as V if there is none", () => {
    const q = [recordOf(0, { reading: reading({ q_values: [1, 3] }) })];
    expect(episodeLines(q, known).expected).toEqual({ name: "max Q(s, a)", values: [3] });
  });
});

describe("the axis of a line", () => {
  const values = (n: number) => Array.from({ length: n }, (_, i) => i);
  const growing = { first: 0, grows: true, fromZero: false };

  test("does not move while the line fits", () => {
    const ends = [51, 60, 75, 76, 100, 101].map((n) => lineScale([values(n)], growing).x[1]);
    expect(ends).toEqual([75, 75, 75, 100, 100, 150]);
  });

  test("ends with the episode when it is over", () =>
    expect(lineScale([values(200)], { ...growing, grows: false }).x).toEqual([0, 199]));

  test("has a height even if all values are equal or missing", () => {
    expect(lineScale([[3, 3]], growing).y).toEqual([2.5, 3.5]);
    expect(lineScale([[null]], growing).y).toEqual([0, 1]);
    expect(lineScale([[0, 0]], { ...growing, fromZero: true }).y).toEqual([0, 1]);
  });

  test("does not magnify rounding errors into a curve", () => {
    const [low, high] = lineScale([[49.99, 50.01]], growing).y;
    expect([low.toFixed(1), high.toFixed(1)]).toEqual(["49.5", "50.5"]);
    expect(lineScale([[40, 50]], growing).y).toEqual([40, 50]);
  });

  test("never exceeds the existing steps", () => {
    const scale = lineScale([values(10)], growing);
    expect([stepAt(0.5, scale, 10), stepAt(0.1, scale, 10), stepAt(-1, scale, 10)]).toEqual([
      9, 5, 0,
    ]);
  });
});
