import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type { KnobChange, Rule } from "./types";

/** The hyperparameters of a run that can be adjusted while it trains. */
export function knobsQuery(id: string) {
  return queryOptions({
    queryKey: keys.knobs(id),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/knobs", { params: { path: { run_id: id } }, signal })),
  });
}

/** Asks a run that trains to make `changes` at the start of its next rollout. */
export function changeKnobs(id: string, changes: KnobChange[]) {
  const params = { path: { run_id: id } };
  return unwrap(http.PATCH("/runs/{run_id}/knobs", { params, body: { changes } }));
}

export function rulesQuery(id: string) {
  return queryOptions({
    queryKey: keys.rules(id),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/rules", { params: { path: { run_id: id } }, signal })),
  });
}

/** Replaces the rules of a run. */
export function saveRules(id: string, rules: Rule[]) {
  const params = { path: { run_id: id } };
  return unwrap(http.PUT("/runs/{run_id}/rules", { params, body: { rules } }));
}

/** Where `rules` would have fired over the rows of a run. Nothing is changed. */
export function tryRules(id: string, rules: Rule[]) {
  const params = { path: { run_id: id } };
  return unwrap(http.POST("/runs/{run_id}/rules/dry-run", { params, body: { rules } }));
}
