import { ruleText } from "@/api/hint-text";
import type { HintRule } from "@/api/types";
import { plural } from "@/lib/number";
import { Disclosure } from "@/ui/disclosure";

/** Every rule that was asked about the run, with what it looks for and on how much data it has an answer. */
export function RulesAsked({ rules }: { rules: readonly HintRule[] }) {
  if (rules.length === 0) return null;
  const waiting = rules.filter(({ state }) => state === "waiting").length;
  return (
    <Disclosure
      className="border-t border-line px-4 py-2"
      summary="What was looked at"
      aside={
        <span className="text-xs font-normal text-ink-faint">
          {plural(rules.length, "rule")}
          {waiting > 0 && `, ${waiting} with too little data yet`}
        </span>
      }
    >
      <dl className="mt-1 grid gap-x-6 gap-y-1 pb-2 text-xs sm:grid-cols-[auto_1fr]">
        {rules.map((rule) => (
          <div key={`${rule.id} ${rule.looks_for}`} className="contents">
            <dt className="text-ink">{capitalized(rule.looks_for)}</dt>
            <dd className="mb-1 text-ink-soft tabular-nums sm:mb-0">{ruleText(rule)}</dd>
          </div>
        ))}
      </dl>
    </Disclosure>
  );
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
