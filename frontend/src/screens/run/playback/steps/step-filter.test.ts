import { expect, test } from "vitest";
import { ALL_STEPS, isRewardTest, nextSort, searchOf } from "./step-filter";

test("without conditions every step is requested in playing order", () => {
  expect(searchOf(ALL_STEPS)).toEqual({});
});

test("each condition is written in the grammar of the service", () => {
  const filter = {
    episode: 2,
    action: "1",
    reward: " >0.5 ",
    end: "terminated",
    text: "left",
    condition: "reward < 9 and index > 1",
    sort: "-reward",
  } as const;
  expect(searchOf(filter)).toEqual({
    episode: 2,
    where: ["action:1", "reward:>0.5", "terminated:true", "text:left", "reward < 9 and index > 1"],
    sort: "-reward",
  });
});

test("an incomplete reward requests nothing", () => {
  expect(["", "1", "-1.5", ">0", ">= -2", "!=0", "0..1", "-1..-0.5"].every(isRewardTest)).toBe(
    true,
  );
  expect([">", "a", "1..", "1.", "..2"].some(isRewardTest)).toBe(false);
  expect(searchOf({ ...ALL_STEPS, reward: ">" })).toEqual({});
});

test("clicks on a column sort ascending, descending and in playing order", () => {
  expect(nextSort("", "reward")).toBe("reward");
  expect(nextSort("reward", "reward")).toBe("-reward");
  expect(nextSort("-reward", "reward")).toBe("");
  expect(nextSort("-reward", "index")).toBe("index");
});
