import { apiBase } from "../base";
import { fetchFile } from "../http";

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
