"use client";

import { changeQueryString, searchOf, useQueryString } from "./query-string";

/** How the agent of a run can be seen. */
const AGENT_VIEWS = ["live", "moment", "evaluation"] as const;
export type AgentViewName = (typeof AGENT_VIEWS)[number];

/** The view of the agent that somebody chose, in the address (`?view=moment`); null: what the page thinks best. */
export function useAgentView(): AgentViewName | null {
  const [query] = useQueryString();
  const asked = query.get("view");
  return AGENT_VIEWS.find((name) => name === asked) ?? null;
}

/** Chosen again and again while somebody scrubs through moments, which wait to be written. */
export function chooseAgentView(view: AgentViewName | null) {
  if (new URLSearchParams(window.location.search).get("view") === view) return;
  changeQueryString((query) => {
    if (view === null) query.delete("view");
    else query.set("view", view);
    return searchOf(query);
  });
}
