import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { healthQuery } from "@/api/choices";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { saveStorageRules } from "@/api/storage";
import type { Storage, StorageRule, StorageRules } from "@/api/types";
import { plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Disclosure } from "@/ui/disclosure";
import { Field } from "@/ui/field";
import { Notice } from "@/ui/notice";
import { controlClass, Select } from "@/ui/select";
import {
  type Draft,
  emptyDraft,
  keepsNewest,
  quotaOf,
  type RuleAction,
  ruleActions,
  ruleOf,
  withQuota,
} from "./draft";

/** The rules as sentences, and forms for another rule and for quotas. Changes apply at once. */
export function RulesCard({ storage }: { storage: Storage }) {
  const show = useStorageAnswer();
  const [adding, setAdding] = useState(false);
  const save = useMutation({
    mutationFn: saveStorageRules,
    onSuccess: async (answer) => {
      await show(answer);
      setAdding(false);
    },
  });
  const rules: StorageRules = {
    rules: storage.rules,
    quotas: Object.fromEntries(
      storage.kinds.flatMap(({ kind, quota }) => (quota === null ? [] : [[kind, quota]])),
    ),
  };
  return (
    <Card
      title="Rules"
      aside={
        !adding && (
          <Button size="sm" needsService onClick={() => setAdding(true)}>
            Add a rule…
          </Button>
        )
      }
      bodyClass="flex flex-col gap-4 p-4"
    >
      <p className="max-w-3xl text-sm text-ink-soft">
        Only rules delete anything. They apply to runs that have ended, never to runs with the tag{" "}
        <code className="font-mono">keep</code>. They run every hour. The trash is emptied after{" "}
        {plural(storage.trash_days, "day")} in any case.
      </p>
      {storage.rules.length > 0 ? (
        <ol
          aria-label="Rules"
          className="divide-y divide-line rounded-md border border-line text-sm"
        >
          {storage.words.map((words, place) => (
            <li key={`${place} ${words}`} className="flex items-start gap-2 px-3 py-2">
              <span aria-hidden className="text-ink-faint tabular-nums">
                {place + 1}
              </span>
              <span className="min-w-0 grow">{words}</span>
              <Button
                size="sm"
                variant="quiet"
                needsService
                busy={save.isPending}
                aria-label={`Remove rule ${place + 1}`}
                onClick={() =>
                  save.mutate({ ...rules, rules: storage.rules.filter((_, at) => at !== place) })
                }
              >
                <X aria-hidden className="size-3.5" />
              </Button>
            </li>
          ))}
        </ol>
      ) : (
        <p className="text-sm font-medium">There are no rules, so nothing is deleted.</p>
      )}
      {adding && (
        <RuleForm
          busy={save.isPending}
          quotas={rules.quotas ?? {}}
          onAdd={(rule) => save.mutate({ ...rules, rules: [...storage.rules, rule] })}
          onCancel={() => setAdding(false)}
        />
      )}
      <QuotaForm storage={storage} rules={rules} busy={save.isPending} onSave={save.mutate} />
      {save.error && (
        <Notice tone="bad" role="alert" title="The change was not saved">
          <p>{explainAction(save.error)}</p>
        </Notice>
      )}
    </Card>
  );
}

interface QuotaFormProps {
  storage: Storage;
  rules: StorageRules;
  busy: boolean;
  onSave: (rules: StorageRules) => void;
}

/** Sets or removes the quota of a kind. */
function QuotaForm({ storage, rules, busy, onSave }: QuotaFormProps) {
  const [kind, setKind] = useState<string>(storage.kinds[0]?.kind ?? "videos");
  const [typed, setTyped] = useState("");
  const quota = quotaOf(typed);
  return (
    <Disclosure summary="Quotas">
      <p className="mb-3 text-sm text-ink-soft">
        A quota warns from 80 %. It deletes nothing unless a rule depends on it.
      </p>
      <form
        aria-label="Quota"
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (quota !== undefined) onSave(withQuota(rules, kind, quota));
        }}
      >
        <Field label="Of" className="grow basis-48 md:max-w-80">
          {(control) => (
            <Select
              {...control}
              value={kind}
              onChange={({ currentTarget }) => setKind(currentTarget.value)}
            >
              {storage.kinds.map((one) => (
                <option key={one.kind} value={one.kind}>
                  {one.words}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="GB; empty for none" className="w-36">
          {(control) => (
            <input
              {...control}
              inputMode="decimal"
              className={controlClass}
              value={typed}
              aria-invalid={quota === undefined || undefined}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit" needsService busy={busy} disabled={quota === undefined}>
          {quota === null ? "Remove the quota" : "Set the quota"}
        </Button>
      </form>
    </Disclosure>
  );
}

interface RuleFormProps {
  busy: boolean;
  quotas: Readonly<Record<string, number>>;
  onAdd: (rule: StorageRule) => void;
  onCancel: () => void;
}

function RuleForm({ busy, quotas, onAdd, onCancel }: RuleFormProps) {
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
        <Field label="Keep per run">
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
          Only above its quota, oldest runs first
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

/**
 * Shows the service's response to a change. Cancels requests that were sent before, because they would show the old
 * state.
 */
export function useStorageAnswer() {
  const client = useQueryClient();
  return async (answer: Storage) => {
    await client.cancelQueries({ queryKey: keys.storage });
    client.setQueryData(keys.storage, answer);
  };
}
