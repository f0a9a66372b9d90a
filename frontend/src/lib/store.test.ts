import { expect, test } from "vitest";
import { createStore, Listeners } from "./store";

test("listeners are notified of a different value, not of the same one", () => {
  const store = createStore(1);
  const heard: number[] = [];
  store.subscribe(() => heard.push(store.get()));
  store.set(2);
  store.set(2);
  store.set(1);
  expect(heard).toEqual([2, 1]);
});

test("an unsubscribed listener is not notified", () => {
  const store = createStore("a");
  let calls = 0;
  const unsubscribe = store.subscribe(() => (calls += 1));
  unsubscribe();
  store.set("b");
  expect(calls).toBe(0);
});

test("a page rendered without a browser shows the initial value", () => {
  const store = createStore<string | null>(null);
  store.set("dark");
  expect([store.get(), store.getInitial()]).toEqual(["dark", null]);
});

test("a listener removed during a notification still receives it", () => {
  const listeners = new Listeners();
  const heard: string[] = [];
  listeners.subscribe(() => {
    heard.push("first");
    removeSecond();
  });
  const removeSecond = listeners.subscribe(() => heard.push("second"));
  listeners.notify();
  listeners.notify();
  expect(heard).toEqual(["first", "second", "first"]);
});

test("the source is connected for the first listener and released after the last", () => {
  const log: string[] = [];
  const listeners = new Listeners(() => {
    log.push("connect");
    return () => log.push("release");
  });
  const [a, b] = [listeners.subscribe(() => {}), listeners.subscribe(() => {})];
  a();
  expect(log).toEqual(["connect"]);
  b();
  b();
  listeners.subscribe(() => {});
  expect(log).toEqual(["connect", "release", "connect"]);
});
