import { expect, test } from "vitest";
import { figureRows, pace, seconds } from "./figures";
import { aRun, compared, comparison } from "./fixtures";
import { settingRows } from "./settings";
import { suggest } from "./suggest";

const a = compared("a", 480, {
  steps_to_threshold: 21_000,
  seconds_to_threshold: 12.34,
  stability: 3,
});
const b = compared("b", 200, { stability: 40 }, { ended_at: "2026-01-01T00:00:20Z" });
const row = (label: string, of = comparison([a, b])) =>
  figureRows(of, 0)
    .find((each) => each.label === label)
    ?.cells.map(({ text, best }) => (best ? `${text} best` : text));

test.each([
  ["Best moving average", ["485.0 best", "205.0"]],
  ["Steps to threshold", ["21,000 best", "not reached"]],
  ["Time to threshold", ["12.3 s best", "not reached"]],
  ["Stability", ["± 3.00 best", "± 40.0"]],
  ["Final return", ["480.0 best", "200.0"]],
  ["Steps per second", ["5k best", "2.5k"]],
])("%s marks the best", (label, cells) => expect(row(label)).toEqual(cells));

test("equal figures, and one alone, have no best", () => {
  expect(row("Final return", comparison([a, { ...b, final_moving_average: 480 }]))).toEqual([
    "480.0",
    "480.0",
  ]);
  expect(row("Final return", comparison([a]))).toEqual(["480.0"]);
});

test("across environments nothing is better, not even speed", () => {
  const other = { ...b, run: aRun("b", { env_id: "Acrobot-v1", ended_at: b.run.ended_at }) };
  const mixed = comparison([a, other], { threshold: null });
  expect(row("Final return", mixed)).toEqual(["480.0", "200.0"]);
  expect(row("Steps to threshold", mixed)).toEqual(["21,000", "–"]);
  expect(row("Steps per second", mixed)).toEqual(["5k", "2.5k"]);
});

test.each([
  [aRun("a"), 5_000],
  [aRun("a", { ended_at: null }), 2_500],
  [aRun("a", { step: 0 }), null],
  [aRun("a", { started_at: null }), null],
])("pace of a run", (run, steps) => {
  expect(pace(run, Date.parse("2026-01-01T00:00:20Z"))).toBe(steps);
});

test("a time is short where it is short", () => {
  expect([seconds(4.26), seconds(65)]).toEqual(["4.3 s", "1m 05s"]);
});

test("settings are named as a person reads them, packages last", () => {
  const rows = settingRows(
    [
      { path: "/versions/torch", values: { a: "2.7", b: "2.8" } },
      { path: "/seed", values: { a: 1, b: 2 } },
      { path: "/hyperparameters/policy_kwargs/net_arch", values: { a: [64, 64], b: null } },
      { path: "/env_options/a~1b", values: { b: true } },
    ],
    ["a", "b"],
  );
  expect(
    rows.map(({ name, group, values }) => [name, group, ...values.map(({ text }) => text)]),
  ).toEqual([
    ["seed", "", "1", "2"],
    ["policy_kwargs › net_arch", "hyperparameter", "64, 64", "none"],
    ["a/b", "environment option", "not set", "true"],
    ["torch", "package", "2.7", "2.8"],
  ]);
});

test("runs with the same setting stand together", () => {
  const [row] = settingRows([{ path: "/seed", values: { a: 1, b: 2, c: 1 } }], ["a", "b", "c"]);
  expect(row?.values.map(({ text, runIds }) => [text, runIds])).toEqual([
    ["1", ["a", "c"]],
    ["2", ["b"]],
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

test("suggests nothing where there are no two", () => {
  expect(suggest([aRun("a")], [])).toBeNull();
  expect(suggest([aRun("a"), aRun("b", { step: 0 })], [])).toBeNull();
});
