import { queryOptions } from "@tanstack/react-query";
import { http, unwrap } from "./http";
import { keys } from "./keys";
import type { CreateSnapshot, ForkRun, SnapshotPlan } from "./types";

export function snapshotsQuery(id: string) {
  return queryOptions({
    queryKey: keys.snapshots(id),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/snapshots", { params: { path: { run_id: id } }, signal })),
  });
}

/** Takes a snapshot of a run that trains, at the start of its next rollout. */
export function takeSnapshot(id: string, body: CreateSnapshot = {}) {
  return unwrap(http.POST("/runs/{run_id}/snapshots", { params: { path: { run_id: id } }, body }));
}

/** Changes when snapshots are taken and how many are kept. */
export function changeSnapshotPlan(id: string, body: SnapshotPlan) {
  const params = { path: { run_id: id } };
  return unwrap(http.PUT("/runs/{run_id}/snapshot-plan", { params, body }));
}

/** Gives a snapshot a name, so that it is kept, and a message. */
export function keepSnapshot(id: string, name: string, body: { name: string; message: string }) {
  const params = { path: { run_id: id, name } };
  return unwrap(http.PATCH("/runs/{run_id}/snapshots/{name}", { params, body }));
}

export function deleteSnapshot(id: string, name: string) {
  const params = { path: { run_id: id, name } };
  return unwrap(http.DELETE("/runs/{run_id}/snapshots/{name}", { params }));
}

/** The newest verification of a snapshot; polled while it runs. */
export function snapshotVerificationQuery(id: string, name: string) {
  const path = { run_id: id, name };
  return queryOptions({
    queryKey: keys.snapshotVerification(id, name),
    queryFn: ({ signal }) =>
      unwrap(http.GET("/runs/{run_id}/snapshots/{name}/verify", { params: { path }, signal })),
    refetchInterval: ({ state }) => (state.data?.status === "running" ? 500 : false),
  });
}

export function verifySnapshot(id: string, name: string) {
  const path = { run_id: id, name };
  return unwrap(http.POST("/runs/{run_id}/snapshots/{name}/verify", { params: { path } }));
}

/** What can be changed at a fork of the run at a snapshot or a step, and why the rest cannot; and where it begins. */
export function forkChangesQuery(id: string, at: { snapshot: string } | { step: number }) {
  return queryOptions({
    queryKey: [...keys.forkChanges(id), at],
    queryFn: ({ signal }) => {
      const params = { path: { run_id: id }, query: at };
      return unwrap(http.GET("/runs/{run_id}/fork", { params, signal }));
    },
    // Snapshots come and go.
    staleTime: 0,
  });
}

/** Makes a new run that continues from a snapshot of this one, with changed settings. */
export function forkRun(id: string, body: ForkRun) {
  return unwrap(http.POST("/runs/{run_id}/fork", { params: { path: { run_id: id } }, body }));
}
