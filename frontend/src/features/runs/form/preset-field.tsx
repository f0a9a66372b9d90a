import { Fragment, useId } from "react";
import type { Preset } from "@/lib/api";
import { ChoiceCard } from "./choice-card";
import { environmentOf, presetsOf } from "./draft";
import { expectation } from "./expectation";
import type { FieldsProps } from "./form-state";
import { POINTERS } from "./submit";

/** A choice among presets, each with its trade-off and its measured results. */
export function PresetField({ choices, draft, edit, problems }: FieldsProps) {
  const name = useId();
  const problem = problems[POINTERS.preset];
  const threshold = environmentOf(choices, draft)?.reward_threshold ?? null;
  return (
    <fieldset>
      <legend className="sr-only">Preset</legend>
      <div className="grid gap-1.5 sm:grid-cols-3">
        {presetsOf(choices, draft).map((preset) => (
          <ChoiceCard
            key={preset.id}
            name={name}
            value={preset.id}
            label={preset.title}
            checked={preset.id === draft.preset}
            onChoose={() => edit({ field: "preset", value: preset.id })}
            className="py-2.5"
          >
            <PresetFacts preset={preset} threshold={threshold} />
          </ChoiceCard>
        ))}
      </div>
      {problem && (
        <p role="alert" className="mt-1 text-xs text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

function PresetFacts({ preset, threshold }: { preset: Preset; threshold: number | null }) {
  const { reached, facts } = expectation(preset, threshold);
  return (
    <>
      <span className="mt-1 text-xs text-ink-soft">{preset.summary}</span>
      <span className="mt-1 text-xs text-ink-soft">
        <span className="font-medium text-ink">Trade-off:</span> {preset.tradeoff}
      </span>
      <span className="mt-auto pt-2 text-xs text-ink-soft tabular-nums">
        {reached === null ? (
          <span className="text-ink-faint">Not measured yet</span>
        ) : (
          <>
            Reaches <span className="text-base font-semibold text-ink">{reached}</span>
          </>
        )}
      </span>
      <span className="mt-0.5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-2xs tabular-nums">
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <span className="text-ink-faint">{name} </span>
            <span className="text-right text-ink-soft max-sm:text-left">{value} </span>
          </Fragment>
        ))}
      </span>
    </>
  );
}
