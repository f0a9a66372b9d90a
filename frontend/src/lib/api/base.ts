import { rootPath } from "@/lib/root-path";

const origin = (process.env.NEXT_PUBLIC_API_URL ?? "").replace(/\/+$/, "");

/** Same origin unless `NEXT_PUBLIC_API_URL` names another one (only `make dev` does). */
export const apiBase = `${origin}${rootPath}/api`;

/** A link the API returned, which begins with the root path, as a URL the browser can load. */
export function apiLink(path: string): string {
  return `${origin}${path}`;
}
