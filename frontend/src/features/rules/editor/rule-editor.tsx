"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/menu";
import { ApiError, explainAction, keys, type Rule, type RunDetail } from "@/lib/api";
import { saveRules, tryRules } from "@/lib/api/queries/rules";
import { draftOf, type RuleDraft, type Vocabulary, written } from "./draft";
import { DryRunFirings } from "./dry-run";
import { RuleItem } from "./rule-item";
import { templatesFor } from "./templates";

interface RuleEditorProps {
  run: RunDetail;
  saved: readonly Rule[];
  vocabulary: Vocabulary;
}

/** The rules of a run as sentences. Nothing is sent before they are saved or tried. */
export function RuleEditor({ run, saved, vocabulary }: RuleEditorProps) {
  const client = useQueryClient();
  const inForce = useMemo(() => saved.map(draftOf), [saved]);
  const [edited, setEdited] = useState<readonly RuleDraft[] | null>(null);
  const drafts = edited ?? inForce;
  const { rules, problems } = written(drafts);
  const save = useMutation({
    mutationFn: () => saveRules(run.id, rules),
    onSuccess: (answer) => {
      client.setQueryData(keys.rules(run.id), answer);
      setEdited(null);
    },
  });
  const dryRun = useMutation({ mutationFn: () => tryRules(run.id, rules) });
  const change = (next: readonly RuleDraft[] | null) => {
    save.reset();
    dryRun.reset();
    setEdited(next);
  };
  const error = save.error ?? dryRun.error;
  const refused = error instanceof ApiError ? error.fields : [];
  const all = [...problems, ...refused];
  const isPlaced = refused.some(({ pointer }) => pointer.startsWith("/rules/"));
  return (
    <div className="p-4">
      {drafts.length === 0 ? (
        <p className="pb-3 text-sm text-ink-soft">
          What you would do if you watched, the run can do by itself: when this happens, do that. It
          does so while the app is closed, too.
        </p>
      ) : (
        <ol aria-label="Rules" className="-mt-3 divide-y divide-line">
          {drafts.map((draft, index) => (
            <RuleItem
              key={draft.key}
              {...{ draft, index, vocabulary }}
              isLast={index === drafts.length - 1}
              problems={all.filter(({ pointer }) => isAt(pointer, `/rules/${index}`))}
              onChange={(changed) => change(drafts.with(index, changed))}
              onMove={(by) => change(drafts.toSpliced(index, 1).toSpliced(index + by, 0, draft))}
              onRemove={() => change(drafts.toSpliced(index, 1))}
            />
          ))}
        </ol>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Menu
          align="start"
          trigger={
            <Button size="sm" icon={<Plus aria-hidden className="size-3.5" />}>
              Add a rule
            </Button>
          }
        >
          {templatesFor(run, vocabulary).map(({ title, rule }) => (
            <MenuItem key={title} onSelect={() => change([...drafts, draftOf(rule)])}>
              {title}
            </MenuItem>
          ))}
          <MenuSeparator />
          <MenuItem onSelect={() => change([...drafts, draftOf(ofYourOwn(vocabulary))])}>
            A rule of your own
          </MenuItem>
        </Menu>
        {drafts.length > 0 && run.step > 0 && (
          <Button
            size="sm"
            needsService
            busy={dryRun.isPending}
            disabled={problems.length > 0}
            onClick={() => {
              save.reset();
              dryRun.mutate();
            }}
          >
            Try on the rows so far
          </Button>
        )}
        {edited && (
          <span className="ml-auto flex gap-2">
            <Button size="sm" variant="quiet" onClick={() => change(null)}>
              Discard
            </Button>
            <Button
              size="sm"
              variant="primary"
              needsService
              busy={save.isPending}
              disabled={problems.length > 0}
              onClick={() => {
                dryRun.reset();
                save.mutate();
              }}
            >
              Save
            </Button>
          </span>
        )}
      </div>
      {error && !isPlaced && (
        <p role="alert" className="mt-2 text-xs text-bad">
          {explainAction(error)}
        </p>
      )}
      {save.isSuccess && (
        <p role="status" className="mt-2 text-xs text-ink-soft">
          Saved. {whenInForce(run)}
        </p>
      )}
      {dryRun.data && <DryRunFirings found={dryRun.data} />}
    </div>
  );
}

function whenInForce({ status }: RunDetail): string {
  return status === "running"
    ? "The run follows them from its next row on."
    : "The run follows them once it trains.";
}

/** Something whole to change into one's own. */
function ofYourOwn({ metrics }: Vocabulary): Rule {
  const metric = metrics[0]?.metrics[0]?.name ?? "";
  return {
    when: { kind: "metric", metric, side: "above", value: 0, rows: 3 },
    do: [{ kind: "notify", message: "" }],
    at_most: 10,
  };
}

function isAt(pointer: string, at: string): boolean {
  return pointer === at || pointer.startsWith(`${at}/`);
}
