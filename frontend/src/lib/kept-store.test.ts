import { beforeEach, expect, test, vi } from "vitest";
import { createKeptStore } from "./store";

let storage: Map<string, string>;

beforeEach(() => {
  storage = new Map();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, text: string) => void storage.set(key, text),
  });
});

const numbers = () =>
  createKeptStore<readonly number[]>("numbers", [1], (kept) =>
    Array.isArray(kept) ? (kept as number[]) : null,
  );

test("what was set is there when the page is opened again, and the same object until it changes", () => {
  const store = numbers();
  expect(store.get()).toEqual([1]);
  store.set([2, 3]);
  expect(storage.get("numbers")).toBe("[2,3]");
  const again = numbers();
  expect(again.get()).toEqual([2, 3]);
  expect(again.get()).toBe(again.get());
});

test.each(["{", '"text"', "null"])("of %s that is kept, nothing is taken", (kept) => {
  storage.set("numbers", kept);
  expect(numbers().get()).toEqual([1]);
});

test("where storage is forbidden it lasts until the page is left", () => {
  const forbid = () => {
    throw new Error("forbidden");
  };
  vi.stubGlobal("localStorage", { getItem: forbid, setItem: forbid });
  const store = numbers();
  store.set([4]);
  expect(store.get()).toEqual([4]);
  expect(numbers().get()).toEqual([1]);
});
