import type { Comparison } from "@/lib/api";
import { verdict } from "./verdict";

/** The comparison in a sentence, with its reasons and its limits. */
export function VerdictCard({ comparison }: { comparison: Comparison }) {
  const said = verdict(comparison);
  if (!said) return null;
  return (
    <section
      aria-label="In short"
      className="rounded-lg border border-line bg-surface px-4 py-3 shadow-card"
    >
      <p className="text-lg font-semibold tracking-tight wrap-anywhere">{said.headline}</p>
      {said.why.map((reason) => (
        <p key={reason} className="mt-1 max-w-prose wrap-anywhere text-ink-soft">
          {reason}
        </p>
      ))}
      {said.cautions.length > 0 && (
        <p className="mt-1 max-w-prose text-xs wrap-anywhere text-ink-faint">
          {said.cautions.join(" ")}
        </p>
      )}
    </section>
  );
}
