import clsx from "clsx";
import type { ReactNode } from "react";

interface StatProps {
  label: string;
  children: ReactNode;
  note?: ReactNode;
  className?: string;
}

/** A number with its name; place it in a `<dl>`. */
export function Stat({ label, children, note, className }: StatProps) {
  return (
    <div className={clsx("min-w-0", className)}>
      <dt className="truncate text-xs text-ink-faint">{label}</dt>
      <dd className="mt-0.5 truncate text-base font-medium tabular-nums">{children}</dd>
      {note && (
        <dd
          className="line-clamp-2 text-xs text-ink-faint tabular-nums"
          title={typeof note === "string" ? note : undefined}
        >
          {note}
        </dd>
      )}
    </div>
  );
}
