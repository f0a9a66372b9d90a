import { queryOptions } from "@tanstack/react-query";
import { pause } from "./film";
import { apiBase, http, unwrap } from "./http";
import { keys } from "./keys";
import type { ReportFilm } from "./types";

/** Milliseconds between two requests while policies are being filmed. */
const LOOK_AGAIN_MS = 1_000;

/** How far the clips are that the report of a run shows. */
export function reportFilmQuery(runId: string) {
  return queryOptions({
    queryKey: keys.reportFilm(runId),
    queryFn: ({ signal }) => readFilm(runId, signal),
    staleTime: 0,
  });
}

/** Films the policies that the report lacks. `onProgress` gets every state. Resolves when no policy waits. */
export async function filmForReport(
  runId: string,
  signal: AbortSignal,
  onProgress: (film: ReportFilm) => void,
): Promise<ReportFilm> {
  const path = { run_id: runId };
  let film = await unwrap(http.POST("/runs/{run_id}/report/film", { params: { path }, signal }));
  onProgress(film);
  // Only a request says why nothing is filmed.
  const { cause } = film;
  while (film.waiting > 0) {
    await pause(LOOK_AGAIN_MS, signal);
    film = await readFilm(runId, signal);
    onProgress(film);
  }
  return { ...film, cause: film.cause ?? cause };
}

function readFilm(runId: string, signal: AbortSignal): Promise<ReportFilm> {
  const path = { run_id: runId };
  return unwrap(http.GET("/runs/{run_id}/report/film", { params: { path }, signal }));
}

/** The report of a run: where it is, and what it is called. */
export function reportLink(runId: string, { film }: { film: boolean }) {
  return {
    address: `${apiBase}/runs/${encodeURIComponent(runId)}/report?film=${film}`,
    name: `${runId}.html`,
  };
}
