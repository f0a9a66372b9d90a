"use client";

import { searchOf, useQueryString } from "@/lib/query-string";

export const DETAILS_TABS = [
  "config",
  "events",
  "snapshots",
  "rules",
  "recording",
  "sinks",
  "log",
  "files",
] as const;
export type DetailsTab = (typeof DETAILS_TABS)[number];

export const DETAILS_ANCHOR = "details";

/** The open tab of the details, kept in the address (`?details=log`) so that links can lead to it. */
export function useDetailsTab(): [DetailsTab, (tab: DetailsTab) => void] {
  const [query, change] = useQueryString();
  const asked = query.get("details");
  const tab = DETAILS_TABS.find((one) => one === asked) ?? "config";
  const open = (next: DetailsTab) =>
    change((written) => {
      written.set("details", next);
      return searchOf(written);
    });
  return [tab, open];
}

/** Scrolls the details into view. */
export function scrollToDetails() {
  document.getElementById(DETAILS_ANCHOR)?.scrollIntoView({ block: "start" });
}
