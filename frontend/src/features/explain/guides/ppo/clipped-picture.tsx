"use client";

import { useState } from "react";
import { type Frame, Plot } from "@/charts/figure";
import { clamp, linePath, linspace, roundTo } from "@/charts/figure-scale";
import { count } from "@/lib/number";
import { numberOf, type PictureProps } from "../../guide/guide";
import { Control, Controls, PictureCaption } from "../../picture/control";
import { Handle } from "../../picture/handle";
import { PictureLayout } from "../../picture/picture-layout";
import { RunHistogram } from "../../picture/run-histogram";
import { RunNote } from "../../picture/run-note";
import { useNewestUpdate } from "../../picture/use-newest-update";
import { caption } from "./caption";
import { clippedObjective, type Sample } from "./clipped-objective";

const RATIO = [0, 2] as const;
const VALUE = [-3, 3] as const;
const MOST = 2;
const STEP = 0.05;

/** The clipped objective of one sample. The reader drags the probability ratio and the advantage. */
export function ClippedPicture({ preset, runId }: PictureProps) {
  const newest = useNewestUpdate(runId);
  const [sample, setSample] = useState<Sample>({
    ratio: 1.35,
    advantage: 1,
    clip: numberOf(preset.hyperparameters, "clip_range", 0.2),
  });
  const change = (part: Partial<Sample>) => setSample({ ...sample, ...part });
  const words = caption(sample);
  return (
    <PictureLayout
      picture={
        <Plot
          label={`The clipped objective over the probability ratio. ${words.title} ${words.text}`}
          height={360}
          x={{ domain: RATIO, ticks: linspace(0, 2, 4), label: "probability ratio r, new ÷ old" }}
          y={{ domain: VALUE, ticks: linspace(-3, 3, 6), label: "objective of this sample" }}
        >
          {(frame) => (
            <>
              {newest?.ratios && <RunHistogram frame={frame} histogram={newest.ratios} />}
              <Drawing frame={frame} sample={sample} onChange={change} />
            </>
          )}
        </Plot>
      }
    >
      <Controls>
        <Control
          label="Ratio"
          symbol="r"
          value={sample.ratio}
          min={RATIO[0]}
          max={RATIO[1]}
          step={STEP}
          text={sample.ratio.toFixed(2)}
          onChange={(ratio) => change({ ratio })}
        />
        <Control
          label="Advantage"
          symbol="A"
          value={sample.advantage}
          min={-MOST}
          max={MOST}
          step={STEP}
          text={signed(sample.advantage)}
          onChange={(advantage) => change({ advantage })}
        />
        <Control
          label="Clip range"
          symbol="ε"
          value={sample.clip}
          min={0.05}
          max={0.5}
          step={0.01}
          text={sample.clip.toFixed(2)}
          onChange={(clip) => change({ clip })}
        />
      </Controls>
      <PictureCaption title={words.title}>{words.text}</PictureCaption>
      {newest?.ratios && (
        <RunNote>
          Grey: the ratios after the newest update of this run that was looked into, at step{" "}
          {count(newest.step)}.
        </RunNote>
      )}
    </PictureLayout>
  );
}

interface DrawingProps {
  frame: Frame;
  sample: Sample;
  onChange: (part: Partial<Sample>) => void;
}

function Drawing({ frame: { x, y, top, bottom }, sample, onChange }: DrawingProps) {
  const { advantage, clip, ratio } = sample;
  const { value, pull } = clippedObjective(sample);
  const curve = [RATIO[0], 1 - clip, 1, 1 + clip, RATIO[1]].map(
    (r) => [x(r), y(clippedObjective({ ...sample, ratio: r }).value)] as const,
  );
  const held = y(clamp(value, ...VALUE));
  return (
    <>
      <rect
        x={x(1 - clip)}
        width={x(1 + clip) - x(1 - clip)}
        y={top}
        height={bottom - top}
        className="fill-accent-tint"
      />
      <text x={x(1)} y={top + 12} textAnchor="middle" className="fill-ink-soft">
        1 ± ε
      </text>
      <line x1={x(0)} x2={x(2)} y1={y(0)} y2={y(0)} className="stroke-control-line" />
      <line
        x1={x(0)}
        y1={y(0)}
        x2={x(limit(advantage))}
        y2={y(limit(advantage) * advantage)}
        className="stroke-chart-reference"
        strokeWidth={1.5}
        strokeDasharray="5 4"
      />
      <path d={linePath(curve)} fill="none" className="stroke-chart-mean" strokeWidth={2.5} />
      <line
        x1={x(ratio)}
        x2={x(ratio)}
        y1={held}
        y2={bottom}
        className="stroke-accent"
        strokeDasharray="2 3"
      />
      <Arrow x={x(ratio)} y={held} pull={pull} />
      <Handle
        along="y"
        x={x(1)}
        y={y(advantage)}
        onDrag={(_, at) => onChange({ advantage: roundTo(clamp(y.invert(at), -MOST, MOST), STEP) })}
      />
      <Handle
        along="x"
        x={x(ratio)}
        y={held}
        onDrag={(at) => onChange({ ratio: roundTo(clamp(x.invert(at), ...RATIO), STEP) })}
      />
      <text x={x(1) + 12} y={y(advantage) + (advantage < 0 ? 18 : -10)} className="fill-ink-soft">
        A
      </text>
      <text
        x={x(ratio) + 14}
        y={held + (advantage < 0 ? -10 : 20)}
        className="fill-ink font-medium"
      >
        r
      </text>
    </>
  );
}

/** An arrow in the direction in which the update moves the action's probability; a bar where it has no effect. */
function Arrow({ x, y, pull }: { x: number; y: number; pull: string }) {
  if (pull === "none") return null;
  if (pull === "clipped") {
    return <path d={`M${x - 9} ${y - 20}h18`} className="stroke-ink" strokeWidth={3} />;
  }
  const side = pull === "up" ? 1 : -1;
  return (
    <path
      d={`M${x} ${y - 20}h${34 * side}m${-8 * side} -6l${8 * side} 6l${-8 * side} 6`}
      fill="none"
      className="stroke-ink"
      strokeWidth={2.5}
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  );
}

/** The ratio at which the unclipped line leaves the picture. */
function limit(advantage: number): number {
  return Math.min(RATIO[1], VALUE[1] / Math.max(Math.abs(advantage), 1e-9));
}

function signed(value: number): string {
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(2)}`;
}
