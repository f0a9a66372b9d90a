import { expect, test } from "vitest";
import type { FigureComparison, GroupFigure } from "@/api/types";
import { figureRows, seconds } from "./figures";
import { aRun, compared, comparison } from "./fixtures";
import { suggest } from "./run-picker";
import { comparedColumns } from "./series-styles";
import { settingRows } from "./settings-diff";

const figure = (id: string, unit: string, a: number | null, b: number | null) =>
  ({
    ...{ id, title: id, note: "", unit, better: "high", reason: "" },
    ...{ values: { a, b }, best: "a", groups: {} },
  }) as FigureComparison;

const figures = [
  figure("best_moving_average", "", 485, 205),
  figure("steps_to_threshold", "steps", 21_000, null),
  figure("seconds_to_threshold", "s", 12.34, null),
  figure("stability", "", 3, 40),
  figure("fps", "steps/s", 5_000, 2_500),
];
const solved = { step: 21_000, seconds: 12.34, by: "training" as const, threshold: 475 };
const runsOf = (threshold: number | null) => [
  compared("a", 480, { solved: threshold === null ? null : solved, threshold }),
  compared("b", 200, { solved: null, threshold }),
];
const row = (id: string, threshold: number | null = 475) => {
  const runs = runsOf(threshold);
  return figureRows(comparison(runs, { figures, threshold }), comparedColumns(runs, []))
    .find((each) => each.id === id)
    ?.cells.map(({ text, best }) => (best ? `${text} best` : text));
};

test.each([
  ["solved", ["at step 21,000, after 12s, by training", "not shown"]],
  ["best_moving_average", ["485.0 best", "205.0"]],
  ["steps_to_threshold", ["21,000 best", "not reached"]],
  ["seconds_to_threshold", ["12.3 s best", "not reached"]],
  ["stability", ["± 3.00 best", "± 40.0"]],
  ["fps", ["5k best", "2.5k"]],
])("%s is reported as found by the service", (id, cells) => expect(row(id)).toEqual(cells));

test("without a threshold no run can miss it", () => {
  expect(row("solved", null)).toEqual(["–", "–"]);
  expect(row("steps_to_threshold", null)).toEqual(["21,000 best", "–"]);
});

const made = { definition: "Over seeds.", n: 2, resamples: null, confidence: null, source: "here" };
const ofSeeds = (value: number | null, change: Partial<GroupFigure> = {}): GroupFigure => ({
  ...{ value, low: null, high: null, count: 2, seeds: 2, made },
  ...change,
});

test("the seeds of a group are one column with aggregated figures and none is best", () => {
  const unsolved = { solved: null, threshold: 475 };
  const runs = [
    compared("a", 480, { solved, threshold: 475 }),
    compared("b", 470, unsolved),
    compared("c", 1, unsolved),
  ];
  const grouped = [
    { ...figures[0]!, groups: { g: ofSeeds(477.5, { low: 470, high: 485 }) } },
    { ...figures[1]!, groups: { g: ofSeeds(null, { low: 21_000, count: 1 }) } },
    { ...figures[2]!, groups: { g: ofSeeds(12.34, { count: 1, seeds: 2 }) } },
    { ...figures[3]!, values: { c: 7 }, groups: { g: ofSeeds(null, { count: 0 }) } },
  ];
  const columns = comparedColumns(runs, [{ id: "g", name: "PPO", runIds: ["a", "b"] }]);
  expect(columns.map(({ id, label }) => [id, label])).toEqual([
    ["a", "PPO"],
    ["c", "C"],
  ]);
  const rows = figureRows(comparison(runs, { figures: grouped }), columns);
  expect(
    rows.map(({ cells }) => cells.map(({ text, detail }) => `${text} ${detail}`.trim())),
  ).toEqual([
    ["1 of 2 seeds", "not shown"],
    ["477.5 [470.0, 485.0]", "–"],
    ["fewer than half reached it [21,000, not reached] · 1 of 2 seeds", "not reached"],
    ["12.3 s one seed: no interval · 1 of 2 seeds", "not reached"],
    ["–", "± 7.00"],
  ]);
  expect(rows.flatMap(({ cells }) => cells).filter(({ best }) => best)).toEqual([]);
  expect(rows[1]!.reason).toBe("Over seeds. (n = 2; source: here)");
  const before = figureRows(comparison(runs, { figures: figures.slice(0, 1) }), columns)[1]!;
  expect(before.cells[0]!.text, "of a group that was not answered yet there is no figure").toBe(
    "–",
  );
});

test("a short time has a short format", () => {
  expect([seconds(4.26), seconds(65)]).toEqual(["4.3 s", "1m 05s"]);
});

test("settings have one column per run, with packages last", () => {
  const rows = settingRows(
    [
      { path: "/versions/torch", group: "versions", name: "torch", values: { a: "2.7", b: "2.8" } },
      { path: "/seed", group: "", name: "seed", values: { b: 2, a: 1 } },
      {
        ...{ path: "/hyperparameters/net_arch", group: "hyperparameters", name: "net_arch" },
        values: { a: [64, 64], b: null },
      },
      { path: "/env_options/x", group: "env_options", name: "x", values: { b: true } },
    ],
    comparedColumns([compared("a", 1), compared("b", 1)], []),
  );
  expect(
    rows.map(({ name, group, values }) => [name, group, ...values.map(({ text }) => text)]),
  ).toEqual([
    ["seed", "", "1", "2"],
    ["net_arch", "hyperparameter", "64, 64", "none"],
    ["x", "environment option", "not set", "true"],
    ["torch", "package", "2.7", "2.8"],
  ]);
});

test("a setting of the seeds of a group is shown once", () => {
  const differences = [
    { path: "/seed", group: "", name: "seed", values: { a: 1, b: 2 } },
    {
      ...{ path: "/hyperparameters/gamma", group: "hyperparameters", name: "gamma" },
      values: { a: 0.9, b: 0.9 },
    },
  ];
  const group = { id: "g", name: "PPO", runIds: ["a", "b"] };
  const columns = comparedColumns([compared("a", 1), compared("b", 1), compared("c", 1)], [group]);
  expect(
    settingRows(differences, columns).map(({ values }) => values.map(({ text }) => text)),
  ).toEqual([
    ["1, 2", "not set"],
    ["0.9", "not set"],
  ]);
});

const runs = [
  aRun("new", { step: 0 }),
  aRun("lake", { env_id: "FrozenLake-v1" }),
  aRun("second"),
  aRun("third"),
];

test.each([
  ["the newest that learned", runs.slice(2), [], ["second", "third"]],
  ["one of the same environment", [aRun("top"), ...runs], [], ["top", "second"]],
  ["a partner for the chosen", runs, ["third"], ["third", "second"]],
  [
    "another environment, if need be",
    runs.slice(0, 2).concat(runs.slice(2, 3)),
    ["lake"],
    ["lake", "second"],
  ],
])("suggests %s", (_, among, chosen, pair) => {
  expect(suggest(among, chosen)?.map(({ id }) => id)).toEqual(pair);
});

test("suggests nothing without two runs", () => {
  expect(suggest([aRun("a")], [])).toBeNull();
  expect(suggest([aRun("a"), aRun("b", { step: 0 })], [])).toBeNull();
});
