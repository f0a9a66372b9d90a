import { useMutation } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { explainAction } from "@/api/http";
import { saveStorageRules } from "@/api/storage";
import type { Storage, StorageRules } from "@/api/types";
import { plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Notice } from "@/ui/notice";
import { QuotaForm } from "./quota-form";
import { RuleForm } from "./rule-form";
import { useStorageAnswer } from "./use-storage-answer";

/** The rules as sentences, and forms for another rule and for quotas. What is changed holds at once. */
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
        Nothing is deleted that no rule names. Rules apply to runs that have ended, and never to one
        with the tag <code className="font-mono">keep</code>. They are followed every hour. Deleted
        runs go for good after {plural(storage.trash_days, "day")} in any case.
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
        <Notice tone="bad" role="alert" title="That was not saved">
          <p>{explainAction(save.error)}</p>
        </Notice>
      )}
    </Card>
  );
}
