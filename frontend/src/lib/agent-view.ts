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

/** Where the episodes of the live view begin: in a cell of the map, played by the policy of a step or the newest one. */
export interface AgentStart {
  cell: number;
  /** Null: the newest policy. */
  step: number | null;
}

/** The cell in the address (`?view=live&cell=5&policy=12288`); null: episodes begin at the environment's own start. */
export function useAgentStart(): AgentStart | null {
  const [query] = useQueryString();
  const cell = wholeNumber(query.get("cell"));
  return cell === null ? null : { cell, step: wholeNumber(query.get("policy")) };
}

/** Writes the live view into an address, with where its episodes begin; null: at the environment's own start. */
export function writeAgentStart(query: URLSearchParams, start: AgentStart | null) {
  query.set("view", "live");
  query.delete("cell");
  query.delete("policy");
  if (start) query.set("cell", String(start.cell));
  if (start && start.step !== null) query.set("policy", String(start.step));
}

/** A number in an address; null for anything else. */
export function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
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
