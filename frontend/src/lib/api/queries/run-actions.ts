import { http, unwrap } from "../http";
import type { CreateRun } from "../types";

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
