"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { ExternalLink } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { algorithmsQuery, environmentsQuery } from "@/api/choices";
import type { Environment, RunConfig } from "@/api/types";
import { type OptionValues, variantFor } from "@/api/variant";
import { count, setting } from "@/lib/number";
import { Boundary } from "@/ui/boundary";
import { buttonClass } from "@/ui/button";
import { Card, Stat } from "@/ui/card";
import { Combobox } from "@/ui/combobox";
import { ErrorState } from "@/ui/notice";
import { Segmented } from "@/ui/segmented";
import {
  type CurveShape,
  type Failure,
  FAILURES_ID,
  type Guide,
  type GuideSettings,
  type Knob,
} from "./guide";
import { GuideSkeleton, PassageText, Section } from "./section";

export interface GuideProps {
  /** Environment and preset to show first: those of the reader's run. */
  environment: string | null;
  preset: string | null;
  /** The reader's run, if it trains with this algorithm; the picture draws its data. */
  runId?: string | null;
  /** How that run was configured, to be shown beside the presets. */
  config?: RunConfig | null;
  /** Options of `environment` that differ from its defaults. */
  options?: OptionValues;
}

const SECTIONS = [
  { id: "optimises", title: "What it optimises" },
  { id: "data", title: "Data" },
  { id: "knobs", title: "Key hyperparameters" },
  { id: FAILURES_ID, title: "How runs fail" },
] as const;

/** The guide to one algorithm: four sections and an interactive picture. */
export function GuidePage({ guide, runId = null, ...first }: GuideProps & { guide: Guide }) {
  const { data: presets, error, retry } = useGuidePresets(guide.id, first);
  useAnchor(presets !== undefined);
  if (error) return <ErrorState error={error} retry={retry} />;
  if (!presets) return <GuideSkeleton />;
  const { preset } = presets;
  const { Picture, title, invitation } = guide.picture;
  return (
    <div className="flex flex-col gap-9">
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-3">
        <p className="max-w-[60ch] text-lg leading-relaxed text-pretty">{guide.idea}</p>
        <nav aria-label="On this page" className="flex flex-wrap gap-1.5">
          {SECTIONS.map(({ id, title: name }) => (
            <a key={id} href={`#${id}`} className={buttonClass("secondary", "sm")}>
              {name}
            </a>
          ))}
        </nav>
      </div>
      <div className="flex flex-col gap-3">
        <PresetPicker presets={presets} />
        <p className="text-xs text-ink-soft">
          <span className="font-medium text-ink">{preset.title}</span> on {presets.environment.id}:{" "}
          {preset.tradeoff || preset.summary}
        </p>
        <Card title={title} bodyClass="p-4">
          <p className="mb-4 max-w-[72ch] text-sm text-ink-soft">{invitation}</p>
          <Boundary what="The picture">
            <Picture key={`${presets.environment.id} ${preset.id}`} preset={preset} runId={runId} />
          </Boundary>
        </Card>
      </div>
      <div className="grid gap-9 xl:grid-cols-2">
        <Section id="optimises" title="What it optimises">
          <PassageText passage={guide.optimises} />
        </Section>
        <Section id="data" title="What data it learns from">
          <PassageText passage={guide.data} />
          <dl className="mt-4 grid grid-cols-2 gap-x-4 gap-y-3 border-t border-line pt-3 sm:grid-cols-4">
            {guide.facts(preset.hyperparameters, preset.total_timesteps).map((fact) => (
              <Stat key={fact.label} label={fact.label} note={fact.note}>
                {fact.value}
              </Stat>
            ))}
          </dl>
        </Section>
      </div>
      <Section id="knobs" title="Key hyperparameters">
        <KnobList knobs={guide.knobs} presets={presets.presets} chosen={preset.id} />
      </Section>
      <Section id={FAILURES_ID} title="How runs fail">
        <FailureList failures={guide.failures} />
      </Section>
      <p className="text-sm">
        <a
          href={guide.paper.href}
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1.5 rounded-sm text-accent underline-offset-2 hover:underline"
        >
          {guide.paper.label}
          <ExternalLink aria-hidden className="size-3.5" />
          <span className="sr-only">(opens in a new tab)</span>
        </a>
      </p>
    </div>
  );
}

/**
 * Scrolls to the anchor in the address once the guide is rendered. The external system is the page's scroll
 * position.
 */
function useAnchor(ready: boolean) {
  useEffect(() => {
    const id = window.location.hash.slice(1);
    if (!ready || id === "") return;
    // Setting the hash again makes the browser apply :target.
    window.location.replace(`#${id}`);
  }, [ready]);
}

/** Failure modes: how each shows, why it happens and what to try. Each has an anchor that hints link to. */
function FailureList({ failures }: { failures: readonly Failure[] }) {
  return (
    <ul className="grid grid-cols-1 gap-3 xl:grid-cols-2">
      {failures.map(({ id, title, curve, metric, see, why, try: attempt }) => (
        <li
          key={id}
          id={id}
          tabIndex={-1}
          className="scroll-mt-18 rounded-lg border border-line bg-surface p-4 outline-none target:border-accent target:ring-2 target:ring-accent"
        >
          <div className="flex items-start justify-between gap-3">
            <div className="min-w-0">
              <h3 className="font-semibold">{title}</h3>
              <p className="mt-0.5 truncate text-xs text-ink-faint">
                <Name>{metric}</Name>
              </p>
            </div>
            <FailureSketch shape={curve} />
          </div>
          <dl className="mt-2.5 grid grid-cols-[3.25rem_minmax(0,1fr)] gap-y-1.5 text-sm wrap-anywhere text-ink-soft">
            <dt className="font-medium text-ink">You see</dt>
            <dd>{see}</dd>
            <dt className="font-medium text-ink">Why</dt>
            <dd>{why}</dd>
            <dt className="font-medium text-ink">Try</dt>
            <dd>{attempt}</dd>
          </dl>
        </li>
      ))}
    </ul>
  );
}

/**
 * SVG paths in a box of 96 × 40; `mark` repeats the stretch that shows the failure, to be drawn in a stronger
 * colour.
 */
const shapes: Record<CurveShape, { curve: string; mark: string }> = {
  collapse: { curve: "M4 8C16 8 20 12 26 24S38 35 50 35H92", mark: "M26 24C32 32 38 35 50 35H92" },
  spikes: {
    curve: "M4 33L18 31 26 32 32 8 36 30 52 31 60 32 66 5 70 31 92 32",
    mark: "M26 32L32 8 36 30M60 32L66 5 70 31",
  },
  flat: { curve: "M4 34C14 33 20 22 34 20S60 21 92 20", mark: "M34 20C44 19 60 21 92 20" },
  still: { curve: "M4 34H92", mark: "M4 34H92" },
  rising: { curve: "M4 35C30 34 52 30 92 10", mark: "M62 26C74 21 84 15 92 10" },
  diverge: { curve: "M4 34C30 34 54 33 68 24S86 8 92 4", mark: "M60 30C74 23 86 9 92 4" },
  high: { curve: "M4 5L60 16H92", mark: "M60 16H92" },
  fallback: {
    curve: "M4 35C20 34 28 10 48 9S62 28 70 30 84 28 92 30",
    mark: "M48 9C60 8 62 28 70 30",
  },
  noise: {
    curve: "M4 30L12 12 20 33 28 16 36 31 44 10 52 33 60 14 68 30 76 12 84 32 92 16",
    mark: "M4 30L12 12 20 33 28 16 36 31 44 10 52 33 60 14 68 30 76 12 84 32 92 16",
  },
};

function FailureSketch({ shape }: { shape: CurveShape }) {
  const { curve, mark } = shapes[shape];
  return (
    <svg aria-hidden viewBox="0 0 96 40" className="h-12 w-28 shrink-0 rounded-md bg-sunken p-1">
      <g fill="none" strokeLinecap="round" strokeLinejoin="round">
        <path d={curve} className="stroke-control-line" strokeWidth="1.5" />
        <path d={mark} className="stroke-bad" strokeWidth="2.25" />
      </g>
    </svg>
  );
}

interface KnobListProps {
  knobs: readonly Knob[];
  presets: readonly GuideSettings[];
  /** Id of the preset that the picture shows. */
  chosen: string;
}

/** The main hyperparameters: what a larger and a smaller value does, and the value in every preset. */
function KnobList({ knobs, presets, chosen }: KnobListProps) {
  const known = knobs.filter(({ name }) => presets.some((p) => name in p.hyperparameters));
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
      {known.map((knob) => (
        <li
          key={knob.name}
          className="grid gap-x-6 gap-y-2.5 px-4 py-3 lg:grid-cols-[minmax(0,1fr)_22rem]"
        >
          <div className="min-w-0">
            <h3 className="font-mono text-sm font-medium">{knob.name}</h3>
            <p className="mt-0.5 text-sm text-ink-soft">{knob.does}</p>
            <dl className="mt-1.5 grid gap-x-4 gap-y-1 text-xs text-ink-soft sm:grid-cols-2">
              <Way word="More" text={knob.more} />
              <Way word="Less" text={knob.less} />
            </dl>
          </div>
          <dl className="grid auto-cols-fr grid-flow-col gap-1 self-center">
            {presets.map((preset) => (
              <div
                key={preset.id}
                className={clsx(
                  "min-w-0 rounded-md px-2 py-1.5",
                  preset.id === chosen ? "bg-accent-tint" : "bg-sunken",
                )}
              >
                <dt className="truncate text-2xs text-ink-soft">{preset.title}</dt>
                <dd className="truncate font-mono text-xs tabular-nums">
                  {valueOf(preset, knob.name)}
                </dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

function Way({ word, text }: { word: string; text: string }) {
  return (
    <div>
      <dt className="inline font-medium text-ink">{word}: </dt>
      <dd className="inline">{text}</dd>
    </div>
  );
}

/** The value, followed by its schedule if it changes during training. */
function valueOf({ hyperparameters }: GuideSettings, name: string): string {
  const value = hyperparameters[name];
  const text = typeof value === "number" && value >= 10_000 ? count(value) : setting(value);
  return hyperparameters[`${name}_schedule`] === "linear" ? `${text} → 0` : text;
}

/** Selects the environment and the preset whose values the picture and the table show. */
function PresetPicker({ presets: chosen }: { presets: GuidePresets }) {
  const { environments, environment, presets, preset, chooseEnvironment, choosePreset } = chosen;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Combobox
        label="Environment"
        className="w-60!"
        placeholder="Search environments"
        options={environments.map(({ id, family_title }) => ({
          value: id,
          label: id,
          group: family_title,
        }))}
        value={environment.id}
        onChange={chooseEnvironment}
      />
      <Segmented
        legend="Preset"
        options={presets.map(({ id, title }) => ({ value: id, label: title }))}
        value={preset.id}
        onChange={choosePreset}
      />
    </div>
  );
}

/** A formula on a line of its own. `spoken` is the text for screen readers. */
export function Formula({ spoken, children }: { spoken: string; children: ReactNode }) {
  return (
    <p className="mt-3 rounded-md border border-line bg-sunken px-3.5 py-2.5 text-base">
      <span className="sr-only">{spoken}</span>
      <span aria-hidden className="font-mono">
        {children}
      </span>
    </p>
  );
}

/** The name of a hyperparameter or metric, as in the config or the metrics journal. */
export function Name({ children }: { children: ReactNode }) {
  return <code className="font-mono text-[0.92em] text-ink">{children}</code>;
}

interface GuidePresets {
  environments: readonly Environment[];
  environment: Environment;
  presets: readonly GuideSettings[];
  preset: GuideSettings;
  chooseEnvironment: (id: string) => void;
  choosePreset: (id: string) => void;
}

interface Chosen {
  environment: string | null;
  preset: string | null;
}

interface First extends Chosen {
  options?: OptionValues;
  config?: RunConfig | null;
}

/** Id of a run's own settings among the presets. */
const THIS_RUN = "this-run";

/**
 * The environments that an algorithm can train on, and its presets for each. For the environment of a run, the list
 * also contains the run's own settings. `first` names the initial selection.
 */
function useGuidePresets(algo: string, first: First) {
  const algorithms = useQuery(algorithmsQuery);
  const all = useQuery(environmentsQuery);
  const [chosen, setChosen] = useState<Chosen>({ environment: null, preset: null });
  const error = algorithms.error ?? all.error;
  const retry = () => void Promise.all([algorithms.refetch(), all.refetch()]);
  const data = all.data && algorithms.data && read(all.data);
  return { data, error, retry };

  function read(list: readonly Environment[]): GuidePresets | undefined {
    const environments = list
      .map((each) => (each.id === first.environment ? variantFor(each, first.options) : each))
      .filter((each) => presetsOf(each).length > 0);
    const find = (id: string | null) => environments.find((each) => each.id === id);
    const environment = find(chosen.environment) ?? find(first.environment) ?? environments[0];
    if (!environment) return undefined;
    const presets = presetsOf(environment);
    const pick = (id: string | null) => presets.find((each) => each.id === id);
    const preset = pick(chosen.preset) ?? pick(THIS_RUN) ?? pick(first.preset) ?? presets[0];
    if (!preset) return undefined;
    return {
      environments,
      environment,
      presets,
      preset,
      chooseEnvironment: (id) => setChosen({ ...chosen, environment: id }),
      choosePreset: (id) => setChosen({ ...chosen, preset: id }),
    };
  }

  function presetsOf(environment: Environment): readonly GuideSettings[] {
    const fits = environment.algorithms.includes(algo);
    const presets = fits ? (environment.presets[algo] ?? []) : [];
    const { config, environment: ofRun } = first;
    return config && environment.id === ofRun ? [settingsOf(config), ...presets] : presets;
  }
}

function settingsOf({ total_timesteps, hyperparameters }: RunConfig): GuideSettings {
  return {
    ...{ id: THIS_RUN, title: "This run", tradeoff: "" },
    summary: "the settings with which the run was created.",
    ...{ total_timesteps, hyperparameters },
  };
}
