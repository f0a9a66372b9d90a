import { FailureSketch } from "./failure-sketch";
import { Name } from "./formula";
import type { Failure } from "./guide";

/** Failure modes: how each shows, why it happens and what to try. Each has an anchor that hints link to. */
export function FailureList({ failures }: { failures: readonly Failure[] }) {
  return (
    <ul className="grid grid-cols-1 gap-3 xl:grid-cols-2">
      {failures.map(({ id, title, curve, metric, see, why, try: attempt }) => (
        <li
          key={id}
          id={id}
          tabIndex={-1}
          className="scroll-mt-18 rounded-lg border border-line bg-surface p-4 outline-none target:border-accent target:ring-2 target:ring-accent"
        >
          <div className="flex items-start justify-between gap-3">
            <div className="min-w-0">
              <h3 className="font-semibold">{title}</h3>
              <p className="mt-0.5 truncate text-xs text-ink-faint">
                <Name>{metric}</Name>
              </p>
            </div>
            <FailureSketch shape={curve} />
          </div>
          <dl className="mt-2.5 grid grid-cols-[3.25rem_minmax(0,1fr)] gap-y-1.5 text-sm wrap-anywhere text-ink-soft">
            <dt className="font-medium text-ink">You see</dt>
            <dd>{see}</dd>
            <dt className="font-medium text-ink">Why</dt>
            <dd>{why}</dd>
            <dt className="font-medium text-ink">Try</dt>
            <dd>{attempt}</dd>
          </dl>
        </li>
      ))}
    </ul>
  );
}
