import type { paths } from "@/api/schema";
import { apiBase, ApiError, apiLink, fetchFile, http, unwrap } from "./http";

/** URL of a file in a run's folder. */
export function artifactLink(runId: string, path: string): string {
  const parts = path.split("/").map(encodeURIComponent).join("/");
  return `${apiBase}/runs/${encodeURIComponent(runId)}/artifacts/${parts}`;
}

export interface Tail {
  text: string;
  /** Size of the whole file in bytes. */
  size: number;
  /** Whether `text` leaves out the beginning of the file. */
  cut: boolean;
}

const NOTHING: Tail = { text: "", size: 0, cut: false };

/** The last `bytes` of a text file, starting with a whole line; empty if the file does not exist yet. */
export async function fetchTail(
  runId: string,
  path: string,
  bytes: number,
  signal?: AbortSignal,
): Promise<Tail> {
  const request = new Request(artifactLink(runId, path), {
    headers: { Range: `bytes=-${bytes}` },
    cache: "no-store",
    signal,
  });
  // 416: an empty file has no last bytes.
  const response = await fetchFile(request, [404, 416]);
  if (!response.ok) return NOTHING;
  const text = await response.text();
  const size = Number(/\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "")?.[1]);
  const cut = size > bytes;
  return { text: cut ? text.slice(text.indexOf("\n") + 1) : text, size: size || text.length, cut };
}

/** A JSON file of the run's folder; null if it does not exist. */
export async function fetchJson<T>(
  runId: string,
  path: string,
  signal?: AbortSignal,
): Promise<T | null> {
  const response = await fetchFile(new Request(artifactLink(runId, path), { signal }), [404]);
  return response.ok ? ((await response.json()) as T) : null;
}

/** Whether the service says that there is no file at `url`; false if the service does not answer. */
export async function isFileGone(url: string): Promise<boolean> {
  try {
    const first = { headers: { range: "bytes=0-0" }, cache: "no-store" } as const;
    const response = await fetchFile(new Request(apiLink(url), first));
    await response.body?.cancel();
    return false;
  } catch (error) {
    return error instanceof ApiError && error.isNotFound;
  }
}

/** Formats of an export of several runs. */
export type RunsFormat = NonNullable<
  NonNullable<paths["/export"]["get"]["parameters"]["query"]>["format"]
>;

/** Details that the user enters for an imported file, which override its logs. */
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

/**
 * Names as one parameter of a request, separated by commas. Special characters are escaped, as
 * `rlviz/domain/plain_text.py` reads them.
 */
export function joinNames(names: readonly string[]): string {
  return names
    .map((name) => name.replace(/\\(?=[\\, ])|\\$|,|^ | $/g, (found) => `\\${found}`))
    .join(",");
}
