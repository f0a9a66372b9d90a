import clsx from "clsx";
import { percent } from "@/lib/format";

interface ProgressProps {
  /** From 0 to 1. */
  share: number;
  label: string;
  valueText?: string;
  /** Still growing; a bar that has come to rest is grey. */
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

/** Neither clipped nor scaled: in a list of many runs each of these would be a layer of its own to put together. */
function percentage(share: number): string {
  return `${Math.min(1, Math.max(0, share)) * 100}%`;
}
