import clsx from "clsx";
import { percent } from "@/lib/number";

interface ProgressProps {
  /** From 0 to 1. */
  share: number;
  label: string;
  valueText?: string;
  /** Whether the value still grows; otherwise the bar is grey. */
  live?: boolean;
  className?: string;
}

export function Progress({ share, label, valueText, live = true, className }: ProgressProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.floor(share * 100)}
      aria-valuetext={valueText ?? percent(share)}
      className={clsx("h-1 rounded-full bg-rest-tint", className)}
    >
      <div
        className={clsx(
          "h-full rounded-full transition-[width] duration-300 ease-out",
          live ? "bg-accent" : "bg-line-strong",
        )}
        style={{ width: percentage(share) }}
      />
    </div>
  );
}

/**
 * A width and not a transform or a clip path: with those, browsers make each bar a compositor layer, which is
 * slow in a long list.
 */
function percentage(share: number): string {
  return `${Math.min(1, Math.max(0, share)) * 100}%`;
}

export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden
      className={clsx("block animate-shimmer rounded-md bg-rest-tint", className)}
    />
  );
}
