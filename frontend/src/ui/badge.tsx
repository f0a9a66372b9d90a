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

interface Appearance {
  tone: BadgeTone;
  shape: string;
}

const disc = "rounded-full bg-current";
const ring = "rounded-full border-[1.5px] border-current";
const square = "bg-current";
const bars = "border-x-2 border-current";
const diamond = "rotate-45 bg-current";

/**
 * Each status has a shape too, so that it does not depend on colour alone: a ring waits or starts, a disc runs or has
 * completed, two bars are paused, a square is stopped, a diamond has failed.
 */
const appearances: Record<string, Appearance> = {
  created: { tone: "rest", shape: ring },
  queued: { tone: "warn", shape: ring },
  starting: { tone: "live", shape: `${ring} animate-breathe` },
  running: { tone: "live", shape: `${disc} animate-breathe` },
  pausing: { tone: "warn", shape: `${bars} animate-breathe` },
  paused: { tone: "warn", shape: bars },
  stopping: { tone: "warn", shape: `${square} animate-breathe` },
  stopped: { tone: "rest", shape: square },
  completed: { tone: "good", shape: disc },
  failed: { tone: "bad", shape: diamond },
  interrupted: { tone: "bad", shape: diamond },
};

/** The status of a run or an evaluation. */
export function StatusBadge({ status }: { status: string }) {
  const { tone, shape } = appearances[status] ?? { tone: "rest", shape: ring };
  return (
    <span data-status={status} className="inline-flex">
      <Badge tone={tone}>
        <span aria-hidden className={clsx("size-1.5 shrink-0", shape)} />
        {status}
      </Badge>
    </span>
  );
}
