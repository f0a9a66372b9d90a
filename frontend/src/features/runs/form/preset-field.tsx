import { useId } from "react";
import type { Preset } from "@/lib/api";
import { ChoiceCard } from "./choice-card";
import { presetsOf } from "./draft";
import { expectation } from "./expectation";
import type { FieldsProps } from "./form-state";
import { POINTERS } from "./submit";

/** Where to start from: what each trades, and what it was seen to do. */
export function PresetField({ choices, draft, edit, problems }: FieldsProps) {
  const name = useId();
  const problem = problems[POINTERS.preset];
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
            <PresetFacts preset={preset} />
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

function PresetFacts({ preset }: { preset: Preset }) {
  const { reached, facts } = expectation(preset);
  return (
    <>
      <span className="mt-1 text-xs text-ink-soft">{preset.summary}</span>
      <span className="mt-1 text-xs text-ink-soft">
        <span className="font-medium text-ink">Trades</span> {uncapitalized(preset.trade)}
      </span>
      <span className="mt-auto flex flex-col pt-2 text-2xs text-ink-faint tabular-nums">
        {reached !== null && (
          <span className="mb-0.5 text-xs text-ink-soft">
            Reaches <span className="text-base font-semibold text-ink">{reached}</span>
          </span>
        )}
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </span>
    </>
  );
}

function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
