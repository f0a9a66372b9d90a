"use client";

import { useSyncExternalStore } from "react";
import { learns } from "@/api/run-availability";
import type { RunDetail } from "@/api/types";
import { changeQueryString, searchOf, useQueryString } from "@/lib/query-string";

export const RUN_TABS = ["overview", "charts", "episodes", "inside", "control", "data"] as const;
export type RunTab = (typeof RUN_TABS)[number];

const LABELS: Record<RunTab, string> = {
  overview: "Overview",
  charts: "Charts",
  episodes: "Episodes",
  inside: "Inside",
  control: "Control",
  data: "Data",
};

/** Tabs that have content only for runs with a policy. */
const OF_LEARNERS: readonly RunTab[] = ["inside", "control"];

/** The tabs of a run, in order. */
export function tabsOf(run: Pick<RunDetail, "actor">): { value: RunTab; label: string }[] {
  return RUN_TABS.filter((tab) => learns(run) || !OF_LEARNERS.includes(tab)).map((value) => ({
    value,
    label: LABELS[value],
  }));
}

/** Metrics of the chart on the overview. */
const OVERVIEW_METRICS = ["episode/reward", "rollout/ep_rew_mean", "eval/mean_reward"];

/** The tab that has the chart of a metric. */
export function tabOfMetric(metric: string): RunTab {
  return OVERVIEW_METRICS.includes(metric) ? "overview" : "charts";
}

/** Parts of the control tab, which old addresses name as `?details=…`. */
const CONTROL_DETAILS = ["snapshots", "rules"];

/** The tab for an address without `tab`: old addresses name a part of the page. */
function impliedTab(query: URLSearchParams): RunTab {
  const details = query.get("details");
  if (details !== null) return CONTROL_DETAILS.includes(details) ? "control" : "data";
  if (query.get("view") === "evaluation" || query.has("evaluation")) return "episodes";
  const chart = query.get("chart");
  return chart === null ? "overview" : tabOfMetric(chart);
}

/** The tab that holds the element of an anchor (`#details`); null for any other hash. */
function anchoredTab(hash: string): RunTab | null {
  if (hash === "#details") return "data";
  if (hash.startsWith("#chart-")) return "charts";
  return null;
}

/** The tab of an address. */
export function tabIn(query: URLSearchParams, hash = ""): RunTab {
  const named = RUN_TABS.find((tab) => tab === query.get("tab"));
  return named ?? anchoredTab(hash) ?? impliedTab(query);
}

/** Names a tab in the address, unless the rest of the address leads there anyway. */
export function writeTab(query: URLSearchParams, tab: RunTab) {
  query.delete("tab");
  if (impliedTab(query) !== tab) query.set("tab", tab);
}

/** The address's query string with another tab. */
export function searchOfTab(query: URLSearchParams, tab: RunTab): string {
  const written = new URLSearchParams(query);
  writeTab(written, tab);
  return searchOf(written);
}

/** Opens a tab of the visible run page; Back returns to the previous one. `change` writes more into the address. */
export function openTab(tab: RunTab, change?: (query: URLSearchParams) => void) {
  const isOpen = tabIn(new URLSearchParams(window.location.search), window.location.hash) === tab;
  changeQueryString(
    (query) => {
      change?.(query);
      return searchOfTab(query, tab);
    },
    isOpen ? "replaceState" : "pushState",
  );
}

/** The open tab of the page of `run`. */
export function useRunTab(run: Pick<RunDetail, "actor">): RunTab {
  const [query] = useQueryString();
  const hash = useSyncExternalStore(subscribeToHash, readHash, noHash);
  const asked = tabIn(query, hash);
  return tabsOf(run).some(({ value }) => value === asked) ? asked : "overview";
}

function subscribeToHash(changed: () => void): () => void {
  window.addEventListener("hashchange", changed);
  return () => window.removeEventListener("hashchange", changed);
}

const readHash = () => window.location.hash;
const noHash = () => "";

/** Where the overview shows the agent. */
export const AGENT_ANCHOR = "agent";

/** The card of the data tab. */
export const DETAILS_ANCHOR = "details";

/** The element that is scrolled to as soon as it is on the page. */
let awaited: string | null = null;

/** Scrolls to the element with this id: now if the open tab has it, otherwise once the next tab has opened. */
export function scrollToAnchor(id: string) {
  awaited = id;
  scrollIfAwaited(document.getElementById(id));
}

/** For the `ref` of an element that `scrollToAnchor`, or a hash in the address, may lead to. */
export function scrollIfAwaited(element: HTMLElement | null) {
  if (!element) return;
  if (awaited !== element.id && window.location.hash !== `#${element.id}`) return;
  awaited = null;
  keepInSight(element);
}

/** Milliseconds in which the parts of a tab that has opened load, and move what was scrolled to. */
const LOADING_MS = 2_000;

/** Scrolls to `element` unless its top is in the upper half of the screen, also while the page loads around it. */
function keepInSight(element: HTMLElement) {
  const align = () => {
    const { top } = element.getBoundingClientRect();
    // Not "nearest": that shows the end of an element that is higher than the screen, as on a phone.
    if (top < 0 || top > window.innerHeight / 2) element.scrollIntoView({ block: "start" });
  };
  const sizes = new ResizeObserver(align);
  const end = new AbortController();
  const stop = () => {
    end.abort();
    sizes.disconnect();
  };
  for (const input of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    window.addEventListener(input, stop, { passive: true, signal: end.signal });
  }
  setTimeout(stop, LOADING_MS);
  sizes.observe(document.body);
  align();
}
