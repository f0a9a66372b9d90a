import type { RunFilter, RunStatus } from "@/lib/api";

/** The run list's filter as the reader thinks of it: one word for several statuses. */
export const STATUS_GROUPS = {
  active: ["queued", "running", "stopping"],
  finished: ["completed", "stopped"],
  failed: ["failed", "interrupted"],
  created: ["created"],
} as const satisfies Record<string, readonly RunStatus[]>;

export type StatusGroup = keyof typeof STATUS_GROUPS;

export interface ListFilter {
  text: string;
  group: StatusGroup | "all";
}

export function readListFilter(query: URLSearchParams): ListFilter {
  const group = query.get("status") ?? "";
  return { text: query.get("q") ?? "", group: isGroup(group) ? group : "all" };
}

/** Empty parts leave no trace, so that the plain list has the plain address. */
export function writeListFilter({ text, group }: ListFilter): string {
  const query = new URLSearchParams();
  if (text.trim() !== "") query.set("q", text);
  if (group !== "all") query.set("status", group);
  const search = query.toString();
  return search === "" ? "" : `?${search}`;
}

export function toRunFilter({ text, group }: ListFilter): RunFilter {
  const q = text.trim();
  return {
    ...(q !== "" && { q }),
    ...(group !== "all" && { status: [...STATUS_GROUPS[group]] }),
  };
}

function isGroup(value: string): value is StatusGroup {
  return Object.hasOwn(STATUS_GROUPS, value);
}
