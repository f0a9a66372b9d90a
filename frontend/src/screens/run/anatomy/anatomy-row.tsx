"use client";

import type { Histogram, UpdateAnatomy } from "@/api/types";
import type { CanvasSize, TokenColors } from "@/charts/canvas";
import { decimal, shareText } from "@/lib/number";
import { UpdatePicture } from "./anatomy-panel";
import { type AnatomyFigure, density, type Density } from "./density";

interface AnatomyRowProps {
  figure: AnatomyFigure;
  updates: readonly UpdateAnatomy[];
  chosen: number;
  onChoose: (update: number) => void;
}

/** A quantity of updates: its distribution in the selected update, and over training. */
export function AnatomyRow({ figure, updates, chosen, onChoose }: AnatomyRowProps) {
  const moments = updates.map((one) => ({ step: one.step, histogram: figure.of(one) }));
  const over = density(moments, figure.names?.length);
  const update = updates[chosen];
  if (over === null || update === undefined) return null;
  const histogram = figure.of(update);
  const band = figure.band?.(update) ?? null;
  return (
    <section aria-label={figure.title} className="min-w-0">
      <div className="flex items-baseline justify-between gap-3 text-xs">
        <h4 className="font-medium">{figure.title}</h4>
        {histogram && !figure.names && (
          <span className="text-ink-soft tabular-nums">
            {decimal(histogram.mean)} ± {decimal(histogram.std)}
          </span>
        )}
      </div>
      <p className="mb-1.5 text-2xs text-ink-faint">{figure.help}</p>
      <div className="flex gap-3 max-sm:flex-col">
        <HistogramPicture
          title={figure.title}
          histogram={histogram}
          band={band}
          names={figure.names}
        />
        <DensityPicture
          title={figure.title}
          density={over}
          names={figure.names}
          {...{ band, chosen, onChoose }}
        />
      </div>
    </section>
  );
}

interface HistogramPictureProps {
  title: string;
  histogram: Histogram | null;
  band: readonly [number, number] | null;
  names?: readonly string[];
}

const HEIGHT = 80;
const WIDTH = 160;

/** The distribution in one update; for named integer values, bars with their shares. */
function HistogramPicture({ title, histogram, band, names }: HistogramPictureProps) {
  if (histogram === null) {
    return (
      <p className="grid h-20 w-40 place-items-center text-2xs text-ink-faint">
        Not recorded for this update
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
            <span className="w-19.5 truncate text-ink-soft" title={name}>
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

interface DensityPictureProps {
  title: string;
  density: Density;
  band: readonly [number, number] | null;
  /** Names of integer values, from 0; they replace the scale. */
  names?: readonly string[];
  chosen: number;
  onChoose: (update: number) => void;
}

/** A distribution over training. */
function DensityPicture({ title, density, band, names, chosen, onChoose }: DensityPictureProps) {
  return (
    <UpdatePicture
      title={title}
      steps={density.columns.map(({ step }) => step)}
      paint={(ctx, size, colors) => paintDensity(ctx, size, colors, { density, chosen, band })}
      scale={
        names ? (
          names
            .map((name) => (
              <span key={name} className="truncate" title={name}>
                {name}
              </span>
            ))
            .reverse()
        ) : (
          <>
            <span>{decimal(density.high)}</span>
            <span>{decimal(density.low)}</span>
          </>
        )
      }
      chosen={chosen}
      onChoose={onChoose}
    />
  );
}

interface PaintedDensity {
  density: Density;
  /** Index of the selected column. */
  chosen: number;
  band: readonly [number, number] | null;
}

/** Paints steps from left to right and values from bottom to top; the more values in a bin, the darker it is. */
function paintDensity(
  ctx: CanvasRenderingContext2D,
  { width, height }: CanvasSize,
  colors: TokenColors,
  { density: { low, high, bins, columns }, chosen, band }: PaintedDensity,
): void {
  const [wide, tall] = [width / columns.length, height / bins];
  ctx.fillStyle = colors.of("chart-mean");
  columns.forEach(({ shares }, i) => {
    const left = Math.floor(i * wide);
    const right = Math.floor((i + 1) * wide);
    shares?.forEach((share, bin) => {
      if (share === 0) return;
      ctx.globalAlpha = 0.08 + 0.87 * share;
      ctx.fillRect(left, height - (bin + 1) * tall, right - left, tall + 0.5);
    });
  });
  ctx.globalAlpha = 1;
  const y = (value: number) => height - ((value - low) / (high - low)) * height;
  ctx.strokeStyle = colors.of("chart-reference");
  ctx.setLineDash([4, 3]);
  for (const value of band ?? [0]) {
    if (value <= low || value >= high) continue;
    ctx.beginPath();
    ctx.moveTo(0, y(value));
    ctx.lineTo(width, y(value));
    ctx.stroke();
  }
  ctx.setLineDash([]);
  ctx.strokeStyle = colors.of("ink");
  ctx.strokeRect(Math.floor(chosen * wide) + 0.5, 0.5, Math.max(1, wide - 1), height - 1);
}
