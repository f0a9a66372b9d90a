import { describe, expect, test } from "vitest";
import { compared, comparison } from "./fixtures";
import { verdict } from "./verdict";

const reached = (steps: number) => ({ steps_to_threshold: steps });

test.each([
  ["ends clearly higher", compared("a", 480), compared("b", 200), "A did better."],
  [
    "ends higher, and alone reached the threshold",
    compared("a", 480, reached(20_000)),
    compared("b", 200),
    "A did better.",
  ],
  [
    "ends lower but was there sooner",
    compared("a", 480, reached(40_000)),
    compared("b", 200, reached(10_000)),
    "A ends higher; B learned faster.",
  ],
  [
    "is level, and one was there sooner",
    compared("a", 480, reached(40_000)),
    compared("b", 478, reached(10_000)),
    "Level at the end; B learned faster.",
  ],
  [
    "is level, and both came at about the same time",
    compared("a", 480, reached(40_000)),
    compared("b", 478, reached(39_000)),
    "No clear difference.",
  ],
  [
    "differs by less than its spread explains",
    compared("a", 480, { stability: 90 }),
    compared("b", 440, { stability: 90 }),
    "No clear difference.",
  ],
  [
    "never falls or rises",
    compared("a", 9, { stability: 0 }),
    compared("b", 9),
    "No clear difference.",
  ],
])("a run that %s", (_, a, b, headline) => {
  expect(verdict(comparison([a, b]))?.headline).toBe(headline);
  expect(verdict(comparison([b, a]))?.headline).toBe(headline);
});

test("the reasons hold the figures", () => {
  const said = verdict(comparison([compared("a", 480, reached(21_000)), compared("b", 200)]));
  expect(said?.why).toEqual([
    "A ends at 480.0, B at 200.0: more than the spread of their last 20 episodes explains.",
    "A mean return of 475.0 was reached by A after 21k steps; B did not.",
  ]);
});

test("of many runs the best is held against the second", () => {
  const runs = [compared("a", 100), compared("b", 480), compared("c", 300)];
  expect(verdict(comparison(runs))?.headline).toBe("B did best of 3.");
  runs.push(compared("d", 479));
  expect(verdict(comparison(runs))?.headline).toBe("No clear difference.");
  runs.push(compared("e", 470, reached(9_000)), compared("f", 460, reached(30_000)));
  expect(verdict(comparison(runs))?.why[1]).toBe(
    "2 of 6 reached a mean return of 475.0, E first, after 9k steps.",
  );
});

test("nothing is ranked across environments", () => {
  const other = compared("b", -80, {}, { env_id: "Acrobot-v1" });
  const said = verdict(comparison([compared("a", 480), other], { threshold: null }));
  expect(said?.headline).toBe("These runs cannot be ranked.");
  expect(said?.why[0]).toContain("CartPole-v1, Acrobot-v1");
});

test("nothing is said of a run alone, or before there are enough episodes", () => {
  expect(verdict(comparison([compared("a", 480)]))).toBeNull();
  const young = compared("b", 20, { best_moving_average: null });
  expect(verdict(comparison([compared("a", 480), young]))?.why).toEqual([
    "B has finished too few episodes.",
  ]);
});

describe("what the figures cannot tell", () => {
  const cautions = (...args: Parameters<typeof comparison>) =>
    verdict(comparison(...args))?.cautions;

  test("one seed each", () => {
    expect(cautions([compared("a", 1), compared("b", 2)])).toEqual([
      "One seed each: with other seeds it may come out differently.",
    ]);
  });

  test("nothing but the seed differs", () => {
    const config_diff = [
      { path: "/seed", values: { a: 1, b: 2 } },
      { path: "/versions/torch", values: { a: "2.7", b: "2.8" } },
    ];
    expect(cautions([compared("a", 1), compared("b", 2)], { config_diff })).toEqual([
      "Only their seeds differ: this is how much luck decides.",
    ]);
  });

  test("a run goes on, with fewer steps done", () => {
    const live = compared("b", 2, {}, { ended_at: null, status: "running", step: 1_000 });
    expect(cautions([compared("a", 1), live])?.slice(0, 2)).toEqual([
      "B has not ended yet.",
      "They trained for different numbers of steps.",
    ]);
  });
});
