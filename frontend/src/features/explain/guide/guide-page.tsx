"use client";

import { ExternalLink } from "lucide-react";
import { useEffect } from "react";
import type { RunConfig } from "@/api/types";
import type { OptionValues } from "@/api/variant";
import { Boundary } from "@/ui/boundary";
import { buttonClass } from "@/ui/button";
import { Card, Stat } from "@/ui/card";
import { ErrorState } from "@/ui/notice";
import { FailureList } from "./failure-list";
import { FAILURES_ID, type Guide } from "./guide";
import { GuideSkeleton } from "./guide-skeleton";
import { KnobList } from "./knob-list";
import { PresetPicker } from "./preset-picker";
import { PassageText, Section } from "./section";
import { useGuidePresets } from "./use-guide-presets";

export interface GuideProps {
  /** Environment and preset to show first: those of the run that the reader came from. */
  environment: string | null;
  preset: string | null;
  /** The run that the reader came from, if it trains with this algorithm; its data is drawn into the picture. */
  runId?: string | null;
  /** How that run was configured, to be shown beside the presets. */
  config?: RunConfig | null;
  /** Options of `environment` that differ from its defaults. */
  options?: OptionValues;
}

const SECTIONS = [
  { id: "optimises", title: "What it optimises" },
  { id: "data", title: "Data" },
  { id: "knobs", title: "Key knobs" },
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
      <Section id="knobs" title="Key knobs">
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
