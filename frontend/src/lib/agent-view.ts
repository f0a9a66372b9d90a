"use client";

import { changeQueryString, searchOf, useQueryString } from "./query-string";

/** How the agent of a run can be seen: live, at a moment of its training, or in the video of an evaluation. */
const AGENT_VIEWS = ["live", "moment", "video"] as const;
export type AgentViewName = (typeof AGENT_VIEWS)[number];

/** The view of the agent that was chosen, in the address (`?view=moment`); null: the page decides. */
export function useAgentView(): AgentViewName | null {
  const [query] = useQueryString();
  const asked = query.get("view");
  return AGENT_VIEWS.find((name) => name === asked) ?? null;
}

/** Called for every moment while the user scrubs; each waits to be written. */
export function chooseAgentView(view: AgentViewName | null) {
  if (new URLSearchParams(window.location.search).get("view") === view) return;
  changeQueryString((query) => {
    if (view === null) query.delete("view");
    else query.set("view", view);
    return searchOf(query);
  });
}
