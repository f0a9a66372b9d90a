import { useState } from "react";
import type { Storage, StorageRules } from "@/api/types";
import { Button } from "@/ui/button";
import { Disclosure } from "@/ui/disclosure";
import { Field } from "@/ui/field";
import { controlClass, Select } from "@/ui/select";
import { quotaOf, withQuota } from "./draft";

interface QuotaFormProps {
  storage: Storage;
  rules: StorageRules;
  busy: boolean;
  onSave: (rules: StorageRules) => void;
}

/** Sets how much a kind may take, or lets it take as much as it likes. */
export function QuotaForm({ storage, rules, busy, onSave }: QuotaFormProps) {
  const [kind, setKind] = useState<string>(storage.kinds[0]?.kind ?? "videos");
  const [typed, setTyped] = useState("");
  const quota = quotaOf(typed);
  return (
    <Disclosure summary="Quotas">
      <p className="mb-3 text-sm text-ink-soft">
        A quota warns from 80 %. It deletes nothing, unless a rule waits for it.
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
