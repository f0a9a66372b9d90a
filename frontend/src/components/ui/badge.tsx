import clsx from "clsx";
import type { ReactNode } from "react";

export type BadgeTone = "live" | "good" | "warn" | "bad" | "rest";

const tones: Record<BadgeTone, string> = {
  live: "bg-accent-tint text-accent-strong",
  good: "bg-good-tint text-good",
  warn: "bg-warn-tint text-warn",
  bad: "bg-bad-tint text-bad-strong",
  rest: "bg-rest-tint text-ink-soft",
};

interface BadgeProps {
  tone?: BadgeTone;
  className?: string;
  children: ReactNode;
}

/** A word or a number beside a name. The colour only repeats what the text says. */
export function Badge({ tone = "rest", className, children }: BadgeProps) {
  return (
    <span
      className={clsx(
        "inline-flex h-5 max-w-full items-center gap-1.5 rounded-full px-2 text-2xs font-medium whitespace-nowrap tabular-nums",
        tones[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}
