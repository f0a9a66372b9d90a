import { apiBase } from "../base";
import { http, unwrap } from "../http";

/** What the user says of a file that is imported, before what its logs say. */
export interface ImportWishes {
  algo?: string;
  env_id?: string;
  /** Also what was imported before. */
  again?: boolean;
}

/** Imports the runs of one file: a bundle, a log of another tool, or a zip archive of logs. */
export function importRuns(file: File, wishes: ImportWishes) {
  return unwrap(
    http.POST("/runs/import", {
      params: { query: { file: file.name, ...wishes } },
      body: "",
      bodySerializer: () => file,
      headers: { "Content-Type": "application/octet-stream" },
    }),
  );
}

/** The run as one file with hashes. */
export function bundleLink(id: string) {
  return `${apiBase}/runs/${encodeURIComponent(id)}/bundle`;
}

/** The run's metrics as event files of TensorBoard, in a zip archive. */
export function eventFilesLink(id: string) {
  return `${apiBase}/runs/${encodeURIComponent(id)}/tensorboard`;
}
