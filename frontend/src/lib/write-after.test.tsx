import { beforeEach, expect, test, vi } from "vitest";
import { onRouterTransitionStart } from "@/instrumentation-client";
import { chooseAgentView } from "./agent-view";
import { changeQueryString, searchOf, writeAfter, writeAtOnce } from "./query-string";

beforeEach(() => {
  vi.useFakeTimers();
  writeAtOnce();
  window.history.replaceState(null, "", "/runs");
});

const setting = (name: string, value: string) => () =>
  changeQueryString((query) => {
    query.set(name, value);
    return searchOf(query);
  });
const search = () => window.location.search;

test("a write waits for its pause and is done once", () => {
  writeAfter(200, setting("q", "word"));
  vi.advanceTimersByTime(199);
  expect(search()).toBe("");
  vi.advanceTimersByTime(1);
  expect(search()).toBe("?q=word");
  setting("q", "another")();
  vi.runAllTimers();
  expect(search()).toBe("?q=another");
});

test.each([
  ["a navigation", () => onRouterTransitionStart("/compare", "push")],
  ["the first of their pauses", () => vi.advanceTimersByTime(100)],
  ["another change", setting("sort", "name")],
])("%s ends all pauses: changes are written in order, except reverted ones", (_, end) => {
  writeAfter(300, setting("smooth", "0.5"));
  writeAfter(200, setting("q", "taken back"))();
  writeAfter(100, setting("smooth", "0.9"));
  end();
  expect(new URLSearchParams(search()).get("smooth")).toBe("0.9");
  expect(search()).not.toContain("taken");
  setting("smooth", "0")();
  vi.runAllTimers();
  expect(new URLSearchParams(search()).get("smooth")).toBe("0");
});

test.each(["/experiments", "/runs/view?id=b"])(
  "a pending change of a page is not written into the address %s that Back leads to",
  (address) => {
    window.history.replaceState(null, "", "/runs/view?id=a");
    writeAfter(200, setting("moment", "1"));
    window.history.replaceState(null, "", address);
    onRouterTransitionStart(address, "traverse");
    vi.runAllTimers();
    expect(window.location.pathname + search()).toBe(address);
  },
);

test("Back within a page ends no pause, because the router is about to read the address", () => {
  window.history.replaceState(null, "", "/runs?new");
  writeAfter(200, setting("q", "word"));
  window.history.replaceState(null, "", "/runs");
  onRouterTransitionStart("/runs", "traverse");
  expect(search()).toBe("");
  vi.runAllTimers();
  expect(search()).toBe("?q=word");
});

test("choosing the current view again during scrubbing ends no pause", () => {
  chooseAgentView("moment");
  writeAfter(250, setting("moment", "12288"));
  chooseAgentView("moment");
  expect(search()).toBe("?view=moment");
  chooseAgentView("live");
  expect(search()).toBe("?view=live&moment=12288");
});
