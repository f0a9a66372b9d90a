import { http, unwrap } from "../http";
import type { CreateRun, PatchRun } from "../types";

export function createRun(body: CreateRun) {
  return unwrap(http.POST("/runs", { body }));
}

export function startRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/start", { params: { path: { run_id: id } } }));
}

export function stopRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/stop", { params: { path: { run_id: id } } }));
}

export function deleteRun(id: string) {
  return unwrap(http.DELETE("/runs/{run_id}", { params: { path: { run_id: id } } }));
}

/** Brings back a run that was deleted, as long as the trash was not emptied. */
export function restoreRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/restore", { params: { path: { run_id: id } } }));
}

/** Keeps what can be read of a damaged run, and puts what is damaged beside it. */
export function repairRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/repair", { params: { path: { run_id: id } } }));
}

/**
 * Changes a run's name, tags or notes; what is left out stays. It arrives even when the page is left while it is
 * under way.
 */
export function patchRun(id: string, body: PatchRun) {
  const params = { path: { run_id: id } };
  return unwrap(http.PATCH("/runs/{run_id}", { params, body, keepalive: true }));
}
