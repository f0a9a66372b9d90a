import type { ReactNode } from "react";
import type { Comparison } from "@/api/types";

/** The result of the comparison in a sentence, with its reasons and limits; `children` say that of few seeds. */
export function VerdictCard({
  verdict,
  children,
}: Pick<Comparison, "verdict"> & { children?: ReactNode }) {
  if (!verdict) return null;
  const cautions = verdict.cautions.filter((caution) => caution !== verdict.seed_caution);
  return (
    <section
      aria-label="In short"
      className="rounded-lg border border-line bg-surface px-4 py-3 shadow-card"
    >
      <p className="text-lg font-semibold tracking-tight wrap-anywhere">{verdict.headline}</p>
      {verdict.why.map((reason) => (
        <p key={reason} className="mt-1 max-w-prose wrap-anywhere text-ink-soft">
          {reason}
        </p>
      ))}
      {cautions.length > 0 && (
        <p className="mt-1 max-w-prose text-xs wrap-anywhere text-ink-faint">
          {cautions.join(" ")}
        </p>
      )}
      {children}
    </section>
  );
}
