import type { Histogram } from "@/api/types";
import { decimal, shareText } from "@/lib/number";

interface HistogramPictureProps {
  title: string;
  histogram: Histogram | null;
  band: readonly [number, number] | null;
  names?: readonly string[];
}

const HEIGHT = 80;
const WIDTH = 160;

/** The distribution in one update; for named integer values, bars with their shares. */
export function HistogramPicture({ title, histogram, band, names }: HistogramPictureProps) {
  if (histogram === null) {
    return (
      <p className="grid h-20 w-40 place-items-center text-2xs text-ink-faint">
        Not of this update
      </p>
    );
  }
  const { low, high, counts, mean, std } = histogram;
  if (names && names.length > 0) return <NamedBars {...{ low, counts, names }} />;
  const most = Math.max(...counts, 1);
  const wide = WIDTH / counts.length;
  const x = (value: number) => ((value - low) / (high - low || 1)) * WIDTH;
  return (
    <figure className="w-40 shrink-0">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}: mean ${decimal(mean)}, standard deviation ${decimal(std)}, from ${decimal(low)} to ${decimal(high)}`}
        className="h-20 w-40 rounded-sm border border-line bg-sunken"
      >
        {band && (
          <rect
            x={Math.max(0, x(band[0]))}
            width={Math.max(0, Math.min(WIDTH, x(band[1])) - Math.max(0, x(band[0])))}
            height={HEIGHT}
            className="fill-accent-tint"
          />
        )}
        {counts.map((count, i) => {
          const tall = (count / most) * (HEIGHT - 6);
          return (
            <rect
              key={i}
              x={i * wide + 0.25}
              y={HEIGHT - tall}
              width={Math.max(0.5, wide - 0.5)}
              height={tall}
              className="fill-chart-mean"
            />
          );
        })}
      </svg>
      <figcaption className="mt-0.5 flex justify-between text-2xs text-ink-faint tabular-nums">
        <span>{decimal(low)}</span>
        <span>{decimal(high)}</span>
      </figcaption>
    </figure>
  );
}

interface NamedBarsProps {
  low: number;
  counts: readonly number[];
  names: readonly string[];
}

function NamedBars({ low, counts, names }: NamedBarsProps) {
  const all = counts.reduce((sum, count) => sum + count, 0) || 1;
  const first = Math.round(low + 0.5);
  return (
    <ul className="flex w-40 shrink-0 flex-col justify-center gap-1 text-2xs">
      {names.map((name, action) => {
        const share = (counts[action - first] ?? 0) / all;
        return (
          <li key={action} className="flex items-center gap-1.5">
            <span className="w-18 truncate text-ink-soft" title={name}>
              {name}
            </span>
            <span aria-hidden className="h-2 grow rounded-sm bg-sunken">
              <span
                className="block h-full rounded-sm bg-chart-mean"
                style={{ width: `${share * 100}%` }}
              />
            </span>
            <span className="w-7 text-right text-ink-faint tabular-nums">{shareText(share)}</span>
          </li>
        );
      })}
    </ul>
  );
}
