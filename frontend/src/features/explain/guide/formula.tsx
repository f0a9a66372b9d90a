import type { ReactNode } from "react";

/** A formula on a line of its own. `spoken` is the text for screen readers. */
export function Formula({ spoken, children }: { spoken: string; children: ReactNode }) {
  return (
    <p className="mt-3 rounded-md border border-line bg-sunken px-3.5 py-2.5 text-base">
      <span className="sr-only">{spoken}</span>
      <span aria-hidden className="font-mono">
        {children}
      </span>
    </p>
  );
}

/** The name of a hyperparameter or metric, as in the config or the metrics journal. */
export function Name({ children }: { children: ReactNode }) {
  return <code className="font-mono text-[0.92em] text-ink">{children}</code>;
}
