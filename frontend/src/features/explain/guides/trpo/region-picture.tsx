"use client";

import { useId, useState } from "react";
import { type Frame, Plot } from "@/charts/figure";
import { linspace } from "@/charts/figure-scale";
import { count, shareText } from "@/lib/number";
import { numberOf, type PictureProps } from "../../guide/guide";
import { Control, Controls, PictureCaption } from "../../picture/control";
import { PictureLayout } from "../../picture/picture-layout";
import { useRunPoints } from "../../picture/run-curve";
import { RunNote } from "../../picture/run-note";
import { naturalStep, plainStep, promise, radii, type Region, type Vector } from "./region";

/** Half the width and half the height of the picture in parameters, chosen so that circles are round. */
const REACH = { x: 0.28, y: 0.25 };
const DEGREE = Math.PI / 180;

/** The largest natural gradient step within the trust region, and the plain gradient's. */
export function RegionPicture({ preset: { hyperparameters }, runId }: PictureProps) {
  const newest = useRunPoints(runId, "train/kl_divergence_loss").at(-1);
  const [region, setRegion] = useState<Region>({
    delta: numberOf(hyperparameters, "target_kl", 0.01),
    angle: 35 * DEGREE,
    skew: 6,
  });
  const change = (part: Partial<Region>) => setRegion({ ...region, ...part });
  const gain = promise(region, naturalStep(region)) / promise(region, plainStep(region)) - 1;
  return (
    <PictureLayout
      picture={
        <div className="mx-auto max-w-104">
          <Plot
            label={`Two steps on the edge of the trust region. The natural one promises ${shareText(gain)} more than the plain one.`}
            height={380}
            x={{
              domain: [-REACH.x, REACH.x],
              ticks: linspace(-0.2, 0.2, 4),
              label: "first parameter",
            }}
            y={{
              domain: [-REACH.y, REACH.y],
              ticks: linspace(-0.2, 0.2, 4),
              label: "second parameter",
            }}
          >
            {(frame) => (
              <>
                <Drawing frame={frame} region={region} />
                {newest && (
                  <MeasuredRegion frame={frame} region={{ ...region, delta: newest[1] }} />
                )}
              </>
            )}
          </Plot>
        </div>
      }
    >
      <Controls>
        <Control
          label="Trust"
          symbol="target_kl"
          value={region.delta}
          min={0.001}
          max={0.03}
          step={0.001}
          text={region.delta.toFixed(3)}
          onChange={(delta) => change({ delta })}
        />
        <Control
          label="Gradient's direction"
          value={Math.round(region.angle / DEGREE)}
          min={0}
          max={360}
          step={5}
          text={`${Math.round(region.angle / DEGREE)}°`}
          onChange={(degrees) => change({ angle: degrees * DEGREE })}
        />
        <Control
          label="Unevenness"
          symbol="F"
          value={region.skew}
          min={1}
          max={12}
          step={0.5}
          text={`${region.skew} : 1`}
          onChange={(skew) => change({ skew })}
        />
      </Controls>
      <PictureCaption title={`The natural step promises ${shareText(gain)} more.`}>
        {region.skew === 1
          ? "Every parameter changes the policy alike, so the gradient itself is the best way."
          : "Both change the policy equally much. The natural step goes further along the parameter that the policy hardly notices."}
      </PictureCaption>
      {newest && (
        <RunNote>
          {newest[1] > 0 ? "Grey line: the" : "The"} KL divergence of the newest update of this run,{" "}
          {newest[1].toFixed(4)} at step {count(newest[0])}
          {newest[1] > 0 ? "." : ": the line search found no step that improves."}
        </RunNote>
      )}
    </PictureLayout>
  );
}

/** All steps that change the policy as much as an update of a run did. Larger than the picture, it ends at its edges. */
function MeasuredRegion({ frame: { x, y, ...edge }, region }: { frame: Frame; region: Region }) {
  const clip = useId();
  if (!(region.delta > 0)) return null;
  const [rx, ry] = radii(region);
  return (
    <>
      <clipPath id={clip}>
        <rect
          x={edge.left}
          y={edge.top}
          width={edge.right - edge.left}
          height={edge.bottom - edge.top}
        />
      </clipPath>
      <ellipse
        clipPath={`url(#${clip})`}
        cx={x(0)}
        cy={y(0)}
        rx={x(rx) - x(0)}
        ry={y(0) - y(ry)}
        fill="none"
        className="pointer-events-none stroke-ink-faint"
        strokeWidth={2}
      />
    </>
  );
}

function Drawing({ frame: { x, y }, region }: { frame: Frame; region: Region }) {
  const [rx, ry] = radii(region);
  const plain = plainStep(region);
  const natural = naturalStep(region);
  return (
    <>
      <ellipse
        cx={x(0)}
        cy={y(0)}
        rx={x(rx) - x(0)}
        ry={y(0) - y(ry)}
        className="fill-accent-tint stroke-accent"
        strokeDasharray="6 4"
      />
      <text x={x(0)} y={y(ry) - 8} textAnchor="middle" className="fill-ink-soft">
        KL = {region.delta.toFixed(3)}
      </text>
      <Step frame={{ x, y }} to={plain} className="stroke-chart-reference" dash="5 4" />
      <Step frame={{ x, y }} to={natural} className="stroke-chart-mean" />
      <text x={x(plain[0]) + 8} y={y(plain[1])} className="fill-ink-soft">
        gradient
      </text>
      <text x={x(natural[0]) + 8} y={y(natural[1]) + 4} className="fill-ink font-medium">
        natural step
      </text>
      <circle cx={x(0)} cy={y(0)} r={4} className="fill-ink" />
    </>
  );
}

interface StepProps {
  frame: Pick<Frame, "x" | "y">;
  to: Vector;
  className: string;
  dash?: string;
}

function Step({ frame: { x, y }, to, className, dash }: StepProps) {
  return (
    <>
      <line
        x1={x(0)}
        y1={y(0)}
        x2={x(to[0])}
        y2={y(to[1])}
        className={className}
        strokeWidth={2.5}
        strokeDasharray={dash}
      />
      <circle
        cx={x(to[0])}
        cy={y(to[1])}
        r={5}
        className={`fill-raised ${className}`}
        strokeWidth={2}
      />
    </>
  );
}
