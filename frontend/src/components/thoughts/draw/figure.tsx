import type { ReactNode } from "react";

interface FigureProps {
  title: string;
  /** How it is to be read. */
  note?: string | null;
  /** Stands at the end of the title line. */
  aside?: ReactNode;
  children: ReactNode;
}

/** One small picture under its name. */
export function Figure({ title, note, aside, children }: FigureProps) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-1.5">
      <div className="flex min-h-4 items-baseline justify-between gap-3 text-xs">
        <h3 className="font-medium text-ink-soft">{title}</h3>
        {aside && <span className="truncate text-ink-faint tabular-nums">{aside}</span>}
      </div>
      {children}
      {note && <p className="text-2xs text-ink-faint">{note}</p>}
    </section>
  );
}
