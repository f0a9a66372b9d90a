import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { healthQuery } from "@/api/choices";
import type { StorageRule } from "@/api/types";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { controlClass, Select } from "@/ui/select";
import { type Draft, emptyDraft, keepsNewest, type RuleAction, ruleActions, ruleOf } from "./draft";

interface RuleFormProps {
  busy: boolean;
  quotas: Readonly<Record<string, number>>;
  onAdd: (rule: StorageRule) => void;
  onCancel: () => void;
}

export function RuleForm({ busy, quotas, onAdd, onCancel }: RuleFormProps) {
  const { data: health } = useQuery(healthQuery);
  const [draft, setDraft] = useState(emptyDraft);
  const [tried, setTried] = useState(false);
  const rule = ruleOf(draft);
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const ofRuns = draft.action !== "empty_trash";
  const kind = draft.action === "compress" ? "metrics" : draft.action.replace("_without_video", "");
  return (
    <form
      aria-label="A new rule"
      className="grid gap-3 rounded-md border border-line bg-sunken p-3 md:grid-cols-4"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (typeof rule !== "string") onAdd(rule);
      }}
    >
      <Field label="Does" className="md:col-span-2">
        {(control) => (
          <Select
            {...control}
            value={draft.action}
            onChange={({ currentTarget }) =>
              change({ action: currentTarget.value as RuleAction, overQuotaOnly: false })
            }
          >
            {Object.entries(ruleActions).map(([action, words]) => (
              <option key={action} value={action}>
                {words}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {keepsNewest(draft.action) && (
        <Field label="Of each run stay">
          {(control) => (
            <input
              {...control}
              inputMode="numeric"
              className={controlClass}
              value={draft.keep}
              onChange={({ currentTarget }) => change({ keep: currentTarget.value })}
            />
          )}
        </Field>
      )}
      <Field label={ofRuns ? "Days since the run ended" : "Days since the run was deleted"}>
        {(control) => (
          <input
            {...control}
            inputMode="decimal"
            className={controlClass}
            value={draft.afterDays}
            onChange={({ currentTarget }) => change({ afterDays: currentTarget.value })}
          />
        )}
      </Field>
      {ofRuns && (
        <Field label="Environments">
          {(control) => (
            <Select
              {...control}
              value={draft.family}
              onChange={({ currentTarget }) => change({ family: currentTarget.value })}
            >
              <option value="">All</option>
              {Object.keys(health?.storage ?? {}).map((family) => (
                <option key={family}>{family}</option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {ofRuns && kind in quotas && (
        <label className="flex items-center gap-2 text-sm md:col-span-4">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={draft.overQuotaOnly}
            onChange={({ currentTarget }) => change({ overQuotaOnly: currentTarget.checked })}
          />
          Only while its quota is exceeded, in the runs that ended first
        </label>
      )}
      <div className="flex flex-wrap items-center gap-2 md:col-span-4">
        <Button type="submit" variant="primary" needsService busy={busy}>
          Add the rule
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
        {tried && typeof rule === "string" && (
          <p role="alert" className="text-sm text-bad">
            {rule}
          </p>
        )}
      </div>
    </form>
  );
}
