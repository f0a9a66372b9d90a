import { expect, test } from "vitest";
import {
  extraTitle,
  fittingColumns,
  gridTemplate,
  metricColumn,
  metricOf,
  movedColumn,
  resizedColumn,
  STANDARD,
  STANDARD_CHOICE,
  toggledColumn,
} from "./column-choice";

test("a column moves to the position of another one or by an offset, within the ends", () => {
  const order = (choice: { order: readonly string[] }) => choice.order.slice(0, 3);
  expect(order(movedColumn(STANDARD_CHOICE, "preset", "algo"))).toEqual([
    "preset",
    "algo",
    "env_id",
  ]);
  expect(order(movedColumn(STANDARD_CHOICE, "algo", 1))).toEqual(["env_id", "algo", "preset"]);
  expect(movedColumn(STANDARD_CHOICE, "algo", -1)).toBe(STANDARD_CHOICE);
  expect(movedColumn(STANDARD_CHOICE, "age", 1)).toBe(STANDARD_CHOICE);
});

test("columns that do not fit next to the name are left out, last ones first", () => {
  expect(fittingColumns(STANDARD_CHOICE, 1400)).toBe(STANDARD);
  const fit = fittingColumns(STANDARD_CHOICE, 600);
  expect(fit).toEqual(STANDARD.slice(0, fit.length));
  expect(fit.length).toBeLessThan(STANDARD.length);
  expect(fittingColumns(STANDARD_CHOICE, 0)).toEqual([]);
});

test("a width is limited and defines the grid", () => {
  const choice = resizedColumn({ order: ["algo", "hp_gamma"], widths: {} }, "algo", 5);
  expect(gridTemplate(choice.order, choice)).toBe(
    "28px minmax(160px, 1fr) minmax(44px, 44px) minmax(67px, 104px) 32px",
  );
});

test("a column is added before the trend or at the end, and removed again", () => {
  const more = toggledColumn(STANDARD_CHOICE, "hp_gamma");
  expect(more.order.slice(-3)).toEqual(["hp_gamma", "trend", "age"]);
  expect(toggledColumn({ order: ["age"], widths: {} }, "fps").order).toEqual(["age", "fps"]);
  expect(toggledColumn(more, "hp_gamma").order).toEqual(STANDARD);
});

test("columns are titled with their hyperparameter, metric or figure", () => {
  const label = (name: string) => `label of ${name}`;
  expect(extraTitle("hp_learning_rate", label)).toBe("learning_rate");
  expect(extraTitle("option_gravity", label)).toBe("Option gravity");
  expect(extraTitle("fps", label)).toBe("Steps/s");
  expect(extraTitle("group_id", label)).toBe("Group id");
  expect(extraTitle(metricColumn("train/loss"), label)).toBe("label of train/loss");
  expect(metricOf("fps")).toBeNull();
});
