import { expect, test } from "vitest";
import { seriesStylesOf, usualColorBy } from "./series-styles";

const runs = (...of: [algo: string, env: string][]) =>
  of.map(([algo, env_id], i) => ({ id: `r${i}`, algo, env_id, preset: null }));
const many = (algo: (i: number) => string) =>
  runs(...Array.from({ length: 12 }, (_, i): [string, string] => [algo(i), "CartPole-v1"]));

test("up to ten runs have distinct colours", () => {
  const ten = runs(...Array.from({ length: 10 }, (): [string, string] => ["ppo", "CartPole-v1"]));
  expect(usualColorBy(ten)).toBe("run");
  const colors = [...seriesStylesOf(ten, "run").values()].map(({ color }) => color);
  expect(new Set(colors).size).toBe(10);
});

test("more runs share the colour of their common settings", () => {
  expect(usualColorBy(many((i) => (i % 2 ? "ppo" : "dqn")))).toBe("algo");
  expect(usualColorBy(many(() => "ppo"))).toBe("run");
  const styles = seriesStylesOf(
    many((i) => (i < 6 ? "ppo" : "dqn")),
    "algo",
  );
  expect(new Set([...styles.values()].map(({ color }) => color))).toEqual(
    new Set(["series-1", "series-2"]),
  );
});
