const origin = (process.env.NEXT_PUBLIC_API_URL ?? "").replace(/\/+$/, "");

/** Same origin unless `NEXT_PUBLIC_API_URL` names another one (only `make dev` does). */
export const apiBase = `${origin}/api`;

/** A link the API returned (`/api/runs/…`) as a URL the browser can load. */
export function apiLink(path: string): string {
  return `${origin}${path}`;
}
