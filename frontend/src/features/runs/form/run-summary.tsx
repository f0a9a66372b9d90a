import { plural } from "@/lib/number";
import {
  algorithmOf,
  changedFields,
  type Choices,
  type Draft,
  environmentOf,
  presetOf,
} from "./draft";
import type { Problems } from "./submit";

interface RunSummaryProps {
  choices: Choices;
  draft: Draft;
  problems: Problems;
}

/** The run that would be created in one line, or why it cannot be created. */
export function RunSummary({ choices, draft, problems }: RunSummaryProps) {
  const bad = Object.keys(problems).length;
  const changed = [
    ...changedFields(choices, draft, "hyperparameters"),
    ...changedFields(choices, draft, "env_options"),
  ].length;
  const facts = [
    `${algorithmOf(choices, draft)?.name} on ${environmentOf(choices, draft)?.name}`,
    presetOf(choices, draft)?.title,
    changed > 0 && plural(changed, "change"),
  ];
  return (
    <p role="status" className="min-w-0 truncate text-xs text-ink-soft max-sm:sr-only">
      {bad > 0 ? (
        <span className="text-bad">{plural(bad, "field")} to correct</span>
      ) : (
        facts.filter(Boolean).join(" · ")
      )}
    </p>
  );
}
