import clsx from "clsx";
import type { ReactNode, Ref } from "react";

interface CardProps {
  title?: ReactNode;
  /** Placed at the end of the title line. */
  aside?: ReactNode;
  label?: string;
  /** The element's id, for links to the card. */
  id?: string;
  /** For a card that the focus is moved to. */
  ref?: Ref<HTMLElement>;
  className?: string;
  bodyClass?: string;
  children: ReactNode;
}

export function Card({
  title,
  aside,
  label,
  id,
  ref,
  className,
  bodyClass = "p-4",
  children,
}: CardProps) {
  const name = label ?? (typeof title === "string" ? title : undefined);
  return (
    <section
      id={id}
      ref={ref}
      tabIndex={ref ? -1 : undefined}
      aria-label={name}
      className={clsx("min-w-0 rounded-lg border border-line bg-surface shadow-card", className)}
    >
      {title !== undefined && (
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-1.5 border-b border-line px-4 py-1.5">
          <h2 className="min-w-0 grow basis-40 text-sm font-semibold">{title}</h2>
          {aside}
        </div>
      )}
      <div className={bodyClass}>{children}</div>
    </section>
  );
}

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
