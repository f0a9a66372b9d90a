import { type ReactNode, useState } from "react";
import type { Limits } from "@/api/types";
import { setting } from "@/lib/number";
import { Badge } from "@/ui/badge";
import { Disclosure } from "@/ui/disclosure";
import { Field } from "@/ui/field";
import { controlClass, Select } from "@/ui/select";
import {
  ADVANCED_POINTERS,
  type AdvancedDraft,
  type AdvancedField,
  changedCount,
  FAIL_MODES,
} from "./advanced-draft";
import { problemAt, type Problems } from "./problems";

interface AdvancedFieldsProps {
  advanced: AdvancedDraft;
  /** What the form proposed when it opened. */
  proposed: AdvancedDraft;
  limits: Limits;
  /** Whether a sampler with a seed proposes values. */
  searches: boolean;
  problems: Problems;
  onChange: (changes: Partial<AdvancedDraft>) => void;
}

/** How trials are scored and carried out, and the limits after which no trial starts. */
export function AdvancedFields(props: AdvancedFieldsProps) {
  const { advanced, limits, searches, problems, onChange } = props;
  const [opened, setOpened] = useState(false);
  const changed = changedCount(advanced, props.proposed);
  const wrong = Object.values(ADVANCED_POINTERS).some((pointer) => problemAt(problems, pointer));
  const typed = (field: AdvancedField, label: string, hint: string, usual: unknown) => (
    <Field label={label} hint={hint} error={problemAt(problems, ADVANCED_POINTERS[field])}>
      {(control) => (
        <input
          {...control}
          className={controlClass}
          inputMode="numeric"
          autoComplete="off"
          placeholder={setting(usual)}
          value={advanced[field]}
          onChange={({ currentTarget: { value } }) => onChange({ [field]: value })}
        />
      )}
    </Field>
  );
  return (
    <Disclosure
      className="rounded-md border border-line px-3 py-1"
      open={opened || wrong}
      onToggle={setOpened}
      summary={<span className="font-semibold">Advanced</span>}
      aside={
        changed > 0 ? (
          <Badge tone="warn">{changed} changed</Badge>
        ) : (
          <span className="text-xs text-ink-faint">scores, failures, limits</span>
        )
      }
    >
      <div className="flex flex-col gap-4 py-2">
        <Group title="Score">
          {typed(
            "episodes",
            "Episodes of a score",
            "Played after training, on new seeds.",
            limits.scored_episodes.default,
          )}
          <Field label="Played by" hint="The best policy needs evaluation during training.">
            {(control) => (
              <Select
                {...control}
                value={advanced.policy}
                onChange={({ currentTarget: { value } }) =>
                  onChange({ policy: value as AdvancedDraft["policy"] })
                }
              >
                <option value="best">The best policy, if one was kept</option>
                <option value="latest">The policy at the end</option>
              </Select>
            )}
          </Field>
          <Field label="Actions" hint="In some games, a greedy policy repeats itself.">
            {(control) => (
              <Select
                {...control}
                value={advanced.actions}
                onChange={({ currentTarget: { value } }) =>
                  onChange({ actions: value as AdvancedDraft["actions"] })
                }
              >
                <option value="usual">As in evaluations during training</option>
                <option value="greedy">Greedy</option>
                <option value="sampled">Sampled</option>
              </Select>
            )}
          </Field>
          {typed(
            "every",
            "Evaluated every",
            "Environment steps. Empty: as the preset says.",
            "preset",
          )}
        </Group>
        <Group title="Runs">
          {typed(
            "parallel",
            "Parallel runs",
            "Empty: as many as the service trains at once.",
            "no own limit",
          )}
          {typed(
            "memory",
            "Memory per worker (MB)",
            "For a run's buffers. Empty: no limit.",
            "no limit",
          )}
        </Group>
        <Group title="A trial that fails">
          <Field label="On failure">
            {(control) => (
              <Select
                {...control}
                value={advanced.failMode}
                onChange={({ currentTarget: { value } }) =>
                  onChange({ failMode: value as AdvancedDraft["failMode"] })
                }
              >
                {Object.entries(FAIL_MODES).map(([mode, words]) => (
                  <option key={mode} value={mode}>
                    {words}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          {advanced.failMode === "retry" &&
            typed(
              "retries",
              "Retries",
              "If all retries fail, the other trials continue.",
              limits.experiment_retries.default,
            )}
        </Group>
        <Group title="Start no trial after">
          {typed("minutes", "Minutes", "Trials that already train still finish.", "no limit")}
          {typed("coreSeconds", "Core-seconds", "Processor time of all runs.", "no limit")}
          {typed("mostSteps", "Steps together", "Of all runs.", "no limit")}
        </Group>
        {searches && (
          <Group title="Search">
            {typed(
              "samplerSeed",
              "Seed of the sampler",
              "The same seed proposes the same trials.",
              0,
            )}
          </Group>
        )}
      </div>
    </Disclosure>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-xs font-semibold text-ink-soft">{title}</legend>
      <div className="grid grid-cols-2 items-start gap-3 max-[26rem]:grid-cols-1">{children}</div>
    </fieldset>
  );
}
