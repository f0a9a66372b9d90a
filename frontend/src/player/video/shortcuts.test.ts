import { expect, test } from "vitest";
import { controllerOf } from "./fixtures";
import { chapterAt, handleKey } from "./shortcuts";

const chapters = [0, 2, 5].map((start, i) => ({ label: `episode ${i + 1}`, start }));

test.each([
  ["n", 0.5, 2],
  ["N", 2, 5],
  ["p", 2.2, 0],
  ["p", 4, 2],
  ["3", 0, 5],
  ["9", 1, 1],
  ["End", 1, 10],
  ["j", 4, 3],
])("the key %s at %d s goes to %d s", (key, from, to) => {
  const { controller } = controllerOf(10);
  controller.seek(from);
  const event = { key, ctrlKey: false, metaKey: false, altKey: false };
  expect(handleKey(event, { controller, chapters, toggleFullScreen: () => {} })).toBe(true);
  expect(controller.time.get()).toBe(to);
});

test("an unassigned key or a browser shortcut is not handled", () => {
  const { controller } = controllerOf(10);
  const context = { controller, chapters, toggleFullScreen: () => {} };
  const plain = { ctrlKey: false, metaKey: false, altKey: false };
  expect(handleKey({ ...plain, key: "Tab" }, context)).toBe(false);
  expect(handleKey({ ...plain, key: "r", ctrlKey: true }, context)).toBe(false);
});

test.each([
  [0, 0],
  [1.99, 0],
  [2, 1],
  [4.9, 1],
  [999, 2],
])("at %d s chapter %d plays", (time, position) => {
  expect(chapterAt(chapters, time)).toBe(position);
});
