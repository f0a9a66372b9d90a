import { beforeEach, expect, test, vi } from "vitest";
import {
  openTab,
  RUN_TABS,
  scrollIfAwaited,
  scrollToAnchor,
  tabIn,
  tabsOf,
  writeTab,
} from "./tab-address";

beforeEach(() => window.history.replaceState(null, "", "/runs/view?id=a"));

const tabOf = (search: string, hash = "") => tabIn(new URLSearchParams(search), hash);

test.each([
  ["id=a", "", "overview"],
  ["id=a&view=live", "", "overview"],
  ["id=a&view=moment&moment=12", "", "overview"],
  ["id=a&view=evaluation", "", "episodes"],
  ["id=a&view=evaluation&evaluation=e&frame=30", "", "episodes"],
  ["id=a&details=log", "", "data"],
  ["id=a&details=config", "", "data"],
  ["id=a&details=snapshots", "", "control"],
  ["id=a&details=rules", "", "control"],
  ["id=a&chart=train%2Fapprox_kl&from=1&to=2", "", "charts"],
  ["id=a&chart=episode%2Freward&from=1&to=2", "", "overview"],
  ["id=a", "#details", "data"],
  ["id=a", "#agent", "overview"],
  ["id=a", "#chart-train/loss", "charts"],
] as const)("an address from before there were tabs, ?%s%s, leads to %s", (search, hash, tab) => {
  expect(tabOf(search, hash)).toBe(tab);
});

test("the named tab is shown and an unknown name is ignored", () => {
  expect(tabOf("id=a&tab=charts&details=log")).toBe("charts");
  expect(tabOf("id=a&tab=charts", "#details")).toBe("charts");
  expect(tabOf("id=a&tab=nonsense")).toBe("overview");
});

test.each(RUN_TABS)("%s is preserved next to other parameters", (tab) => {
  for (const search of ["id=a", "id=a&details=log", "id=a&view=evaluation", "id=a&chart=x"]) {
    const query = new URLSearchParams(search);
    writeTab(query, tab);
    expect(tabIn(query)).toBe(tab);
    expect(query.get("id")).toBe("a");
  }
});

test("another tab adds a history entry and the same one does not", () => {
  const entries = window.history.length;
  openTab("data", (query) => query.set("details", "log"));
  expect(window.location.search).toBe("?id=a&details=log");
  expect(window.history.length).toBe(entries + 1);
  openTab("data", (query) => query.set("details", "files"));
  expect(window.location.search).toBe("?id=a&details=files");
  expect(window.history.length).toBe(entries + 1);
  openTab("overview");
  expect(window.location.search).toBe("?id=a&details=files&tab=overview");
});

test("a run without learning has neither updates nor controls", () => {
  expect(tabsOf({ actor: "human" }).map(({ label }) => label)).toEqual([
    "Overview",
    "Charts",
    "Episodes",
    "Data",
  ]);
});

/** Starts to scroll to an element whose top is at `top`. Returns what follows, and how often it was scrolled to. */
function awaitAnchor(top: number) {
  let resized = () => {};
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(changed: () => void) {
        resized = changed;
      }
      observe() {}
      disconnect() {
        resized = () => {};
      }
    },
  );
  const element = document.createElement("div");
  element.id = "agent";
  const move = (to: number) => {
    element.getBoundingClientRect = () => ({ top: to }) as DOMRect;
    resized();
  };
  const scroll = vi.fn();
  element.scrollIntoView = scroll;
  move(top);
  scrollToAnchor("agent");
  scrollIfAwaited(element);
  return { element, move, scrolled: () => scroll.mock.calls.length };
}

test.each([
  [-130, 1],
  [100, 0],
  [700, 1],
])("an anchor whose top is at %d is scrolled to %d times", (top, times) => {
  const { element, scrolled } = awaitAnchor(top);
  expect(scrolled()).toBe(times);
  scrollIfAwaited(element); // it is not awaited again
  expect(scrolled()).toBe(times);
});

test("an anchor stays in sight while the tab loads, until the user scrolls", () => {
  const { move, scrolled } = awaitAnchor(100);
  move(-130);
  expect(scrolled()).toBe(1);
  window.dispatchEvent(new Event("wheel"));
  move(-200);
  expect(scrolled()).toBe(1);
});
