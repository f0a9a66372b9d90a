"use client";

import { useId, useState } from "react";
import { type Frame, Plot } from "@/charts/figure";
import { linspace } from "@/charts/figure-scale";
import { count, shareText } from "@/lib/number";
import { type Fact, type Guide, numberOf, type PictureProps, type Values } from "../guide";
import { Formula, GuidePage, type GuideProps, Name } from "../guide-page";
import { Control, Controls, PictureCaption, PictureLayout, RunNote } from "../picture";
import { useRunPoints } from "../run-picture";
import { entropyCollapsed, failures, knobs, valueLags } from "./shared";

/** Half the width and half the height of the picture in parameters, chosen so that circles are round. */
const REACH = { x: 0.28, y: 0.25 };
const DEGREE = Math.PI / 180;

/** The largest natural gradient step within the trust region, and the plain gradient's. */
function RegionPicture({ preset: { hyperparameters }, runId }: PictureProps) {
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

export type Vector = readonly [number, number];

interface Region {
  /** δ, TRPO's `target_kl`. */
  delta: number;
  /** Direction of the gradient in radians. */
  angle: number;
  /** How many times more sensitive the policy is to the first parameter than to the second. */
  skew: number;
}

/** Diagonal of the Fisher matrix: KL(d) ≈ ½ dᵀFd. */
function fisher({ skew }: Region): Vector {
  return [skew, 1];
}

export function divergence(region: Region, [x, y]: Vector): number {
  const [fx, fy] = fisher(region);
  return (fx * x * x + fy * y * y) / 2;
}

/** Semi-axes of the ellipse on which the KL divergence is `delta`. */
function radii(region: Region): Vector {
  const [fx, fy] = fisher(region);
  return [Math.sqrt((2 * region.delta) / fx), Math.sqrt((2 * region.delta) / fy)];
}

/** The gradient, normalised to length 1. */
function gradient({ angle }: Region): Vector {
  return [Math.cos(angle), Math.sin(angle)];
}

/** The step along the gradient that reaches the boundary of the trust region. */
export function plainStep(region: Region): Vector {
  return toEdge(region, gradient(region));
}

/**
 * The step along F⁻¹g that reaches the boundary. To first order, no step within the region improves more
 * (Schulman et al., 2015, appendix C).
 */
export function naturalStep(region: Region): Vector {
  const [gx, gy] = gradient(region);
  const [fx, fy] = fisher(region);
  return toEdge(region, [gx / fx, gy / fy]);
}

/** The improvement of a step by the linear model, gᵀd. */
export function promise(region: Region, [x, y]: Vector): number {
  const [gx, gy] = gradient(region);
  return gx * x + gy * y;
}

function toEdge(region: Region, direction: Vector): Vector {
  const stretch = Math.sqrt(region.delta / divergence(region, direction));
  return [direction[0] * stretch, direction[1] * stretch];
}

function facts(values: Values, totalTimesteps: number): Fact[] {
  const environments = numberOf(values, "n_envs", 1);
  const steps = numberOf(values, "n_steps", 2048);
  const rollout = environments * steps;
  return [
    { label: "Rollout", value: count(rollout), note: `${environments} × ${count(steps)} steps` },
    { label: "Policy steps", value: count(Math.ceil(totalTimesteps / rollout)), note: "one each" },
    {
      label: "Critic passes each",
      value: count(numberOf(values, "n_critic_updates", 10)),
      note: "over the rollout",
    },
  ];
}

const guide: Guide = {
  id: "trpo",
  idea: "Each update, take the largest step that keeps the policy within a trusted distance of the one that collected the data.",
  picture: {
    title: "The trust region",
    invitation:
      "Inside the ellipse the policy has changed little enough to be trusted. Turn the gradient and make the parameters uneven: the best step is seldom the gradient's own.",
    Picture: RegionPicture,
  },
  optimises: {
    lead: "The expected advantage, under a hard limit on how far the policy moves.",
    formula: (
      <Formula spoken="Maximise the mean of r times A, while the mean divergence from the old policy is at most delta.">
        max mean of r·A while KL(π_old, π) ≤ δ
      </Formula>
    ),
    points: [
      "The limit is on what the policy does, not on its parameters: the natural gradient turns one into the other.",
      <>
        The direction comes from a conjugate gradient (<Name>cg_max_steps</Name>), the length from a
        line search that takes a step back until the limit holds and the objective rose.
      </>,
      "PPO replaces all this by a clip: simpler, cheaper, and without the guarantee.",
    ],
  },
  data: {
    lead: "Its own newest experience, for one policy step, then thrown away: on-policy.",
    points: [
      <>
        <Name>n_envs</Name> × <Name>n_steps</Name> transitions make one rollout; larger ones make
        the measured distance, and so the limit, trustworthy.
      </>,
      "Only the critic goes over the rollout several times.",
    ],
  },
  facts,
  knobs: [
    {
      name: "target_kl",
      does: "δ: how far one update may move the policy.",
      more: "faster, until the data no longer describes the new policy.",
      less: "near-certain improvement in tiny steps.",
    },
    knobs.environments,
    knobs.rolloutSteps,
    { ...knobs.learningRate, does: "Step size of the critic alone; the policy needs none." },
    {
      name: "n_critic_updates",
      does: "Passes of the critic over each rollout.",
      more: "better advantages, slower updates.",
      less: "cheap; advantages lag behind the policy.",
    },
    {
      name: "cg_max_steps",
      does: "Steps of the conjugate gradient that finds the direction.",
      more: "a truer direction, more time.",
      less: "closer to the plain gradient.",
    },
    knobs.gamma,
    knobs.gaeLambda,
  ],
  failures: [
    {
      id: "line-search-fails",
      title: "The line search gives up",
      curve: "spikes",
      metric: "train/is_line_search_success",
      see: "The value drops from 1 to 0 again and again: updates are refused and the return stands.",
      why: "Advantages are so noisy that no shortened step improves the objective within the limit.",
      try: "Longer rollouts, more n_critic_updates, a smaller target_kl.",
    },
    valueLags,
    entropyCollapsed,
    failures.plateau,
    failures.tooShort,
    failures.unstable,
  ],
  paper: {
    label: "Schulman et al. (2015), Trust Region Policy Optimization",
    href: "https://arxiv.org/abs/1502.05477",
  },
};

export default function TrpoGuide(props: GuideProps) {
  return <GuidePage guide={guide} {...props} />;
}
