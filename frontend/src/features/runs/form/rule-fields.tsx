import { useState } from "react";
import type { FieldProblem } from "@/api/http";
import { useMetricRegistry } from "@/api/metric-registry";
import { metricsFor } from "@/forms/rules/draft";
import { RuleList } from "@/forms/rules/rule-list";
import { plural } from "@/lib/number";
import { Disclosure } from "@/ui/disclosure";
import { algorithmOf, environmentOf, evaluationOf } from "./draft";
import type { FieldsProps } from "./form-state";
import { TryRules } from "./try-rules";

/** What the run shall do by itself. It can be changed on its page at any time. */
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
