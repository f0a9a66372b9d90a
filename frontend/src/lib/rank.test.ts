import { expect, test } from "vitest";
import { ranked } from "./rank";

const environments = [
  { name: "CartPole-v1", words: ["Balance a pole on a cart by pushing left or right."] },
  { name: "MountainCar-v0", words: ["Rock a car up a hill that is too steep for it."] },
  { name: "MountainCarContinuous-v0", words: ["Rock a car up a hill with little force."] },
  { name: "FrozenLake-v1", words: ["Cross a frozen lake without falling into a hole."] },
  { name: "CliffWalking-v1", words: ["Walk along a cliff to the other end."] },
  { name: "LunarLander-v3", words: ["Land between two flags, softly and upright. Balloons"] },
  { name: "BipedalWalker-v3", words: ["Teach two legs to walk."] },
  { name: "CarRacing-v3", words: ["Drive a lap seen from above. Lunatic"] },
  {
    name: "ALE/Pong-v5",
    words: ["Pong", "Table tennis against the machine. A pole, a lake, the moon"],
  },
  { name: "ALE/Breakout-v5", words: ["Breakout", "Clear a wall of bricks with a ball."] },
];
const found = (typed: string) => ranked(environments, typed).map(({ name }) => name);

test.each([
  ["lun", "LunarLander-v3"],
  ["pong", "ALE/Pong-v5"],
  ["lake", "FrozenLake-v1"],
  ["pole", "CartPole-v1"],
  ["car", "CartPole-v1"],
  ["racing", "CarRacing-v3"],
  ["walk", "CliffWalking-v1"],
  ["ale/b", "ALE/Breakout-v5"],
  ["frozen lake", "FrozenLake-v1"],
  ["LANDER", "LunarLander-v3"],
  ["uck up", undefined],
  ["bricks", "ALE/Breakout-v5"],
  ["mountaincarc", "MountainCarContinuous-v0"],
])("%j finds %s first", (typed, first) => expect(found(typed)[0]).toBe(first));

test("a match at the start of a name ranks before one inside it, and that before the description", () => {
  const items = [
    { name: "Later", words: ["lander"] },
    { name: "Islands" },
    { name: "Moon lander" },
    { name: "Lander two" },
    { name: "Lander" },
    { name: "Rocket", words: ["No match"] },
  ];
  expect(ranked(items, "lander").map(({ name }) => name)).toEqual([
    "Lander",
    "Lander two",
    "Moon lander",
    "Later",
  ]);
  expect(ranked(items, "land").at(-1)?.name).toBe("Later");
  expect(ranked(items, "sland").map(({ name }) => name)).toEqual(["Islands"]);
});

test("every typed word must match, in any order", () => {
  expect(found("hill mountain")).toEqual(["MountainCar-v0", "MountainCarContinuous-v0"]);
  expect(found("mountain pole")).toEqual([]);
});

test("equal matches keep their order, and an empty query changes nothing", () => {
  expect(found("mountain")).toEqual(["MountainCar-v0", "MountainCarContinuous-v0"]);
  expect(found("  ")).toEqual(environments.map(({ name }) => name));
});
