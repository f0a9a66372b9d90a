import type { ReactNode } from "react";

interface FigureProps {
  title: string;
  /** How to read it. */
  note?: string | null;
  /** Placed at the end of the title line. */
  aside?: ReactNode;
  children: ReactNode;
}

/** A small figure below its title. */
export function Figure({ title, note, aside, children }: FigureProps) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-1.5">
      <div className="flex min-h-4 flex-wrap items-baseline justify-between gap-x-3 text-xs">
        <h3 className="font-medium text-ink-soft">{title}</h3>
        {aside && <span className="min-w-0 truncate text-ink-faint tabular-nums">{aside}</span>}
      </div>
      {children}
      {note && <p className="text-2xs text-ink-faint">{note}</p>}
    </section>
  );
}
