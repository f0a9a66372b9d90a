"use client";

import clsx from "clsx";
import { useLimits } from "@/api/choices";
import { plural } from "@/lib/number";

interface SeedIntervalProps {
  /** How many seeds (or runs) it is of; null: unknown. */
  count: number | null;
  one?: "seed" | "run";
  className?: string;
  /** The interval in words. */
  children: string;
}

/**
 * An interval over seeds. With fewer seeds than a verdict needs, it is faint and says so: the bootstrap of three seeds
 * with the same result is [1.00, 1.00], although the next seed may differ.
 */
export function SeedInterval({ count, one = "seed", className, children }: SeedIntervalProps) {
  const enough = useLimits()?.verdict_seeds.minimum ?? 0;
  const isWeak = count !== null && count < enough;
  if (children === "") return null;
  return (
    <span
      className={clsx("text-ink-soft", isWeak && "italic", className)}
      title={
        isWeak
          ? `${plural(count, one)}: with fewer than ${enough} ${one}s, the interval is unreliable.`
          : undefined
      }
    >
      {children}
      {isWeak && <span className="sr-only"> (too few {one}s)</span>}
    </span>
  );
}
