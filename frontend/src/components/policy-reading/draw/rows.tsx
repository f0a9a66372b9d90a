import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

interface RowProps {
  label: string;
  text: string;
  /** Whether this is the action that was taken. */
  chosen?: boolean;
  /** Drawn between name and number. */
  children: ReactNode;
}

/** Rows with a name, a track and a number each; all tracks are lined up. */
export function Rows({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[minmax(0,max-content)_minmax(3rem,1fr)_max-content] items-center gap-x-2.5 gap-y-1 text-xs tabular-nums">
      {children}
    </dl>
  );
}

export function Row({ label, text, chosen = false, children }: RowProps) {
  return (
    <div className="contents">
      <dt
        className={clsx(
          "flex min-w-0 items-center gap-1",
          chosen ? "font-medium" : "text-ink-soft",
        )}
      >
        <ChevronRight
          aria-hidden
          className={clsx("-ml-1 size-3 shrink-0 text-accent", !chosen && "invisible")}
        />
        <span className="truncate">{label}</span>
        {chosen && <span className="sr-only">, taken</span>}
      </dt>
      <dd aria-hidden className="relative h-2.5 overflow-hidden rounded-sm bg-rest-tint">
        {children}
      </dd>
      <dd className={clsx("min-w-12 text-right", chosen && "font-medium")}>{text}</dd>
    </div>
  );
}

/** A mark at a share (0 to 1) of a track. */
export function Tick({ at, strong = false }: { at: number; strong?: boolean }) {
  return (
    <span
      className={clsx(
        "absolute -translate-x-1/2 rounded-full",
        strong ? "inset-y-0 w-0.75 bg-accent" : "inset-y-0.5 w-px bg-chart-raw",
      )}
      style={{ left: `${at * 100}%` }}
    />
  );
}
