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
      className={clsx("h-1 overflow-hidden rounded-full bg-rest-tint", className)}
    >
      <div
        className={clsx(
          "h-full origin-left rounded-full transition-transform duration-300 ease-out",
          live ? "bg-accent" : "bg-line-strong",
        )}
        style={{ transform: `scaleX(${share})` }}
      />
    </div>
  );
}
