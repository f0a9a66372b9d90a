import { http, unwrap } from "../http";
import type { CreateRun, PatchRun, ResumeRun, RollbackRun } from "../types";

export function createRun(body: CreateRun) {
  return unwrap(http.POST("/runs", { body }));
}

export function startRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/start", { params: { path: { run_id: id } } }));
}

export function stopRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/stop", { params: { path: { run_id: id } } }));
}

/** Its curves stop at once; it is paused as soon as a snapshot holds all that its training is. */
export function pauseRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/pause", { params: { path: { run_id: id } } }));
}

/** Continues from the newest whole snapshot unless `body` names one. */
export function resumeRun(id: string, body: ResumeRun = {}) {
  return unwrap(http.POST("/runs/{run_id}/resume", { params: { path: { run_id: id } }, body }));
}

/** Continues from an earlier snapshot; what came after no longer counts. */
export function rollBackRun(id: string, body: RollbackRun) {
  return unwrap(http.POST("/runs/{run_id}/rollback", { params: { path: { run_id: id } }, body }));
}

export function deleteRun(id: string) {
  return unwrap(http.DELETE("/runs/{run_id}", { params: { path: { run_id: id } } }));
}

/** Restores a deleted run from the trash. */
export function restoreRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/restore", { params: { path: { run_id: id } } }));
}

/** Repairs a damaged run: keeps what can be read and sets the damaged files aside. */
export function repairRun(id: string) {
  return unwrap(http.POST("/runs/{run_id}/repair", { params: { path: { run_id: id } } }));
}

/**
 * Changes a run's name, tags or notes; fields left out stay. The request completes even if the page is left
 * meanwhile.
 */
export function patchRun(id: string, body: PatchRun) {
  const params = { path: { run_id: id } };
  return unwrap(http.PATCH("/runs/{run_id}", { params, body, keepalive: true }));
}
