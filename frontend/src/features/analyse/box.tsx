import Link from "next/link";
import type { RunsInGroup } from "@/api/types";
import { decimal } from "@/lib/number";
import { routes } from "@/lib/routes";
import { type Extent, placeIn } from "./extent";

type GroupBox = NonNullable<RunsInGroup["box"]>;

interface BoxProps {
  box: GroupBox;
  extent: Extent;
  title: string;
}

/** A box plot on one line: whiskers, quartiles, the median, and a link for each value beyond. */
export function Box({ box, extent, title }: BoxProps) {
  const { low, lower_quartile: lower, median, upper_quartile: upper, high } = box;
  const at = (value: number) => `${placeIn(value, extent)}%`;
  const from = (start: number, end: number) => ({
    left: at(start),
    width: `${placeIn(end, extent) - placeIn(start, extent)}%`,
  });
  return (
    <div className="relative mx-2 h-6">
      <div
        role="img"
        className="absolute inset-0"
        aria-label={`${title}: median ${decimal(median)}, quartiles ${decimal(lower)} and ${decimal(upper)}, from ${decimal(low)} to ${decimal(high)}`}
      >
        <span className="absolute top-1/2 h-px bg-ink-faint" style={from(low, high)} />
        {[low, high].map((value, i) => (
          <span
            key={i}
            className="absolute inset-y-1.5 w-px bg-ink-faint"
            style={{ left: at(value) }}
          />
        ))}
        <span
          className="absolute inset-y-1 min-w-px rounded-sm border border-accent bg-accent-tint"
          style={from(lower, upper)}
        />
        <span
          className="absolute inset-y-1 w-0.5 -translate-x-1/2 bg-accent"
          style={{ left: at(median) }}
        />
      </div>
      {box.outliers.map(({ run_id: id, value }) => (
        <Link
          key={id}
          href={routes.run(id)}
          title={`${decimal(value)}: ${id}`}
          className="absolute top-1/2 size-1.5 -translate-1/2 rounded-full border border-ink-soft hover:bg-ink-soft"
          style={{ left: at(value ?? median) }}
        >
          <span className="sr-only">
            Outlier {decimal(value)}: {id}
          </span>
        </Link>
      ))}
    </div>
  );
}
