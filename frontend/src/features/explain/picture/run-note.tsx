import type { ReactNode } from "react";

/** Says what the grey in a picture is, which was drawn from a run. */
export function RunNote({ children }: { children: ReactNode }) {
  return <p className="text-xs text-ink-soft">{children}</p>;
}
