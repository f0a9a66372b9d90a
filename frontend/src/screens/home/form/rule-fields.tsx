import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { explainAction, type FieldProblem } from "@/api/http";
import { useMetricRegistry } from "@/api/metric-registry";
import { tryRules } from "@/api/rules";
import { runPageQuery } from "@/api/runs";
import type { Run } from "@/api/types";
import { metricsFor, written } from "@/forms/rules/draft";
import { DryRunFirings, RuleList } from "@/forms/rules/rule-list";
import { age } from "@/lib/format-time";
import { count, plural } from "@/lib/number";
import { useNow } from "@/lib/time";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Disclosure } from "@/ui/disclosure";
import { MEND_FIRST } from "@/ui/field";
import { algorithmOf, type Draft, environmentOf, evaluationOf, type FieldsProps } from "./draft";

/** The rules that the run carries out automatically. They can be changed on its page at any time. */
export function RuleFields(props: FieldsProps) {
  const { draft, problems } = props;
  const [opened, setOpened] = useState(draft.rules.length > 0);
  const ofRules = Object.entries(problems)
    .filter(([pointer]) => pointer.startsWith("/rules"))
    .map(([pointer, detail]) => ({ pointer, detail }));
  const open = opened || ofRules.length > 0;
  return (
    <Disclosure
      className="px-5 py-3 max-md:px-4"
      open={open}
      onToggle={setOpened}
      summary={<span className="font-semibold">Rules</span>}
      aside={
        <span className="text-xs font-normal text-ink-faint">
          {draft.rules.length === 0 ? "none" : plural(draft.rules.length, "rule")}
        </span>
      }
    >
      {open && <Rules {...props} ofRules={ofRules} />}
    </Disclosure>
  );
}

interface RulesProps extends FieldsProps {
  ofRules: readonly FieldProblem[];
}

function Rules({ choices, draft, edit, ofRules }: RulesProps) {
  const registry = useMetricRegistry();
  const algorithm = algorithmOf(choices, draft);
  const evaluates = evaluationOf(choices, draft).on;
  return (
    <div className="pt-3 pb-2">
      <RuleList
        drafts={draft.rules}
        vocabulary={{
          metrics: metricsFor(registry, algorithm, evaluates),
          knobs: algorithm?.knobs ?? [],
          evaluates,
        }}
        threshold={environmentOf(choices, draft)?.reward_threshold ?? null}
        problems={ofRules}
        onChange={(value) => edit({ field: "rules", value })}
      >
        {draft.rules.length > 0 && <TryRules key={`${draft.algo} ${draft.env}`} draft={draft} />}
      </RuleList>
    </div>
  );
}

/** Runs that are offered to try rules on. */
const OFFERED = 20;

/** Tries the rules of a new run on the rows of a run that has trained. */
function TryRules({ draft }: { draft: Draft }) {
  const [open, setOpen] = useState(false);
  const { problems } = written(draft.rules);
  return (
    <>
      <Button
        size="sm"
        unavailable={problems.length > 0 && MEND_FIRST}
        onClick={() => setOpen(true)}
      >
        Try on a run…
      </Button>
      {open && <TryDialog draft={draft} onClose={() => setOpen(false)} />}
    </>
  );
}

function TryDialog({ draft, onClose }: { draft: Draft; onClose: () => void }) {
  const { algo, env, rules } = draft;
  const now = useNow("minute");
  const runs = useQuery(runPageQuery({ algo: [algo], env_id: [env] }, 0));
  const trial = useMutation({ mutationFn: (run: Run) => tryRules(run.id, written(rules).rules) });
  const offered = (runs.data?.runs ?? []).filter(({ step }) => step > 0).slice(0, OFFERED);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Try the rules on a run"
      description="The rules are applied to its recorded rows. Nothing changes."
    >
      {runs.data && offered.length === 0 && (
        <p className="text-sm text-ink-soft">
          No run of this algorithm on this environment has trained yet.
        </p>
      )}
      <ul aria-label="Runs" className="max-h-48 divide-y divide-line overflow-y-auto text-sm">
        {offered.map((run) => (
          <li key={run.id}>
            <button
              type="button"
              aria-pressed={trial.variables?.id === run.id}
              className="flex w-full items-baseline justify-between gap-3 rounded-sm px-1 py-1.5 text-left hover:bg-rest-tint aria-pressed:bg-accent-tint max-md:min-h-10"
              onClick={() => trial.mutate(run)}
            >
              <span className="min-w-0 truncate font-medium">{run.name}</span>
              <span className="shrink-0 text-xs text-ink-faint tabular-nums">
                {count(run.step)} steps · {age(run.created_at, now)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {(runs.error ?? trial.error) && (
        <p role="alert" className="mt-2 text-sm text-bad">
          {explainAction((runs.error ?? trial.error)!)}
        </p>
      )}
      {trial.data && <DryRunFirings found={trial.data} run={trial.variables.name} />}
    </Dialog>
  );
}
