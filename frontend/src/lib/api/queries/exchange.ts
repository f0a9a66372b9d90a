import { apiBase } from "../base";
import { http, unwrap } from "../http";
import type { paths } from "../schema";

/** What several runs are exported as. */
export type RunsFormat = NonNullable<
  NonNullable<paths["/export"]["get"]["parameters"]["query"]>["format"]
>;

/** What the user says of a file that is imported, before what its logs say. */
export interface ImportOptions {
  algo?: string;
  env_id?: string;
  /** Also what was imported before. */
  again?: boolean;
}

/** Imports the runs of one file: a bundle, a log of another tool, or a zip archive of logs. */
export function importRuns(file: File, options: ImportOptions) {
  return unwrap(
    http.POST("/runs/import", {
      params: { query: { file: file.name, ...options } },
      body: "",
      bodySerializer: () => file,
      headers: { "Content-Type": "application/octet-stream" },
    }),
  );
}

/** A run as a file: where it is, and what it is called. */
export function runLink(id: string, format: RunsFormat) {
  const at = (path: string, name: string) => ({
    address: `${apiBase}/runs/${encodeURIComponent(id)}/${path}`,
    name,
  });
  switch (format) {
    case "bundle":
      return at("bundle", `${id}.zip`);
    case "tensorboard":
      return at("tensorboard", `${id}-tensorboard.zip`);
    default:
      return at(`export?format=${format}`, `${id}.${format}`);
  }
}

/** Several runs by their ids, or the runs of an experiment. */
export type ExportedRuns = { runs: readonly string[] } | { experiment: string };

/** Runs in one zip archive. */
export function runsLink(of: ExportedRuns, format: RunsFormat) {
  const which = "runs" in of ? { runs: of.runs.join(",") } : of;
  const name = "runs" in of ? "runs" : of.experiment;
  return {
    address: `${apiBase}/export?${new URLSearchParams({ ...which, format })}`,
    name: `${name}-${format}.zip`,
  };
}
