import { expect, test } from "vitest";
import type { StepRecord, StepsInfo } from "@/api/types";
import { columnsOf, FIRST_CHOICE, isColumnChoice, shownColumns, toggled } from "./step-columns";

const info = {
  names: ["episode", "index", "reading.value", "reading.probabilities"],
  observation: {
    ...{ kind: "Box", numbers: 2, labels: ["pole angle", "pole velocity"], units: ["rad", ""] },
  },
  action: {
    ...{ kind: "Discrete", numbers: 1, n: 2, labels: ["left", "right"], units: [], starts: [0] },
  },
} as unknown as StepsInfo;

const record = {
  ...{ episode: 1, index: 1200, action: 1, reward: -0.5, episode_return: 7, actor: "policy" },
  ...{ observation: [0.25, null], terminated: true, truncated: false, frame_hash: "ab" },
  reading: { value: 3, probabilities: [0.25, 0.75] },
} as unknown as StepRecord;

const line = (choice = FIRST_CHOICE) =>
  shownColumns(columnsOf(info), choice).map(({ title, text }) => `${title}: ${text(record)}`);

test("by default a row shows position, action, reward and prediction", () => {
  expect(line()).toEqual([
    ...["#: 2", "Step: 1,200", "Action: right", "Reward: -0.5000", "Return: 7.00", "V(s): 3.00"],
    "End: terminated",
  ]);
});

test("components with units, predictions per action and hashes can be added", () => {
  const names = ["observation.pole angle", "observation.pole velocity", "reading.probabilities.1"];
  const choice = ["frame_hash", ...names].reduce((now, name) => toggled(name, now), FIRST_CHOICE);
  expect(line(choice)).toEqual([
    ...["#: 2", "Step: 1,200", "Action: right", "Reward: -0.5000", "Return: 7.00", "V(s): 3.00"],
    ...["P right: 0.7500", "pole angle [rad]: 0.2500", "pole velocity: "],
    ...["Frame hash: ab", "End: terminated"],
  ]);
  expect(columnsOf(info).find(({ name }) => name === names[1])?.sortBy).toBe("observation.1");
});

test("components of the reward can be added", () => {
  const split = { ...info, names: [...info.names, "reward.main_engine"] };
  const [part] = columnsOf(split).filter(({ name }) => name === "reward.main_engine");
  const spent = { ...record, reward_components: { main_engine: -0.3 } };
  expect([part!.title, part!.text(spent), part!.text(record)]).toEqual([
    ...["Reward: main engine", "-0.3000", ""],
  ]);
});

test("a column can be removed and restored, and the step always stays", () => {
  const without = toggled("reward", FIRST_CHOICE);
  expect(line(without)).not.toContain("Reward: -0.5000");
  expect(line(toggled("reward", without))).toEqual(line());
  expect(line({ added: [], removed: ["index"] })).toContain("Step: 1,200");
});

test("an invalid selection of columns is ignored", () => {
  expect(isColumnChoice({ added: ["actor"], removed: [] })).toBe(true);
  for (const kept of [null, 3, [], {}, { added: [1], removed: [] }, { added: ["a"] }])
    expect(isColumnChoice(kept)).toBe(false);
});

test("each component of a continuous action has its own sortable column", () => {
  const torques = {
    ...info,
    action: {
      ...info.action,
      ...{ kind: "Box", numbers: 2, n: null, labels: ["hip", "knee"], starts: null },
    },
  } as StepsInfo;
  const hip = columnsOf(torques).find(({ name }) => name === "action.hip");
  expect([hip?.title, hip?.sortBy]).toEqual(["hip", "action.0"]);
  expect(hip?.text({ ...record, action: [0.5, -1] })).toBe("0.5000");
});

test("unnamed actions have their numbers in ascending order", () => {
  const unnamed = { ...info, action: { ...info.action, n: 3, labels: [], starts: [1] } };
  const titles = columnsOf(unnamed as StepsInfo).map(({ title }) => title);
  expect(titles.filter((title) => title.startsWith("P "))).toEqual(["P 1", "P 2", "P 3"]);
});

test("an action of several choices has a column for each, and a probability for each value", () => {
  const levers = {
    ...info,
    action: {
      ...{ kind: "MultiDiscrete", numbers: 2, n: null, counts: [3, 2], starts: [0, 0] },
      ...{ labels: ["hoist", "brake"], units: [] },
    },
  } as unknown as StepsInfo;
  const columns = columnsOf(levers);
  const pulled = { ...record, action: [2, 0] };
  expect(columns.find(({ name }) => name === "action")?.text(pulled)).toBe("hoist 2, brake 0");
  expect(columns.find(({ name }) => name === "action.hoist")?.text(pulled)).toBe("2");
  const titles = columns.map(({ title }) => title).filter((title) => title.startsWith("P "));
  expect(titles).toEqual([
    ...["P hoist = 0", "P hoist = 1", "P hoist = 2"],
    ...["P brake = 0", "P brake = 1"],
  ]);
});
