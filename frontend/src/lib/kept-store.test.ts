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

test("a stored value is restored on reload and stays the same object until it changes", () => {
  const store = numbers();
  expect(store.get()).toEqual([1]);
  store.set([2, 3]);
  expect(storage.get("numbers")).toBe("[2,3]");
  const again = numbers();
  expect(again.get()).toEqual([2, 3]);
  expect(again.get()).toBe(again.get());
});

test.each(["{", '"text"', "null"])("an invalid stored value (%s) is ignored", (kept) => {
  storage.set("numbers", kept);
  expect(numbers().get()).toEqual([1]);
});

test("without storage a value lasts until the page is closed", () => {
  const forbid = () => {
    throw new Error("forbidden");
  };
  vi.stubGlobal("localStorage", { getItem: forbid, setItem: forbid });
  const store = numbers();
  store.set([4]);
  expect(store.get()).toEqual([4]);
  expect(numbers().get()).toEqual([1]);
});
