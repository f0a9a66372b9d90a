import { storageText } from "@/api/storage";
import type { Health } from "@/api/types";

/** How much is recorded of what is played, with a line for each family of environments. */
export function StorageProfiles({ storage }: { storage: Health["storage"] }) {
  const example = Object.values(storage)[0];
  const levels = Object.entries(example?.keeps ?? {});
  return (
    <section aria-label="Recording" className="mt-5">
      <h3 className="text-xs font-medium text-ink-faint">Recording</h3>
      <dl className="mt-1.5 divide-y divide-line border-y border-line text-sm tabular-nums">
        {Object.entries(storage).map(([family, profile]) => (
          <div key={family} className="flex min-h-9 items-center justify-between gap-4 py-1.5">
            <dt className="min-w-0 shrink-0 text-ink-soft">{profile.title}</dt>
            <dd className="text-right">{storageText(profile)}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 text-2xs text-ink-faint">
        What each detail keeps, for instance of {example?.title.toLowerCase()}:
      </p>
      <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-2xs text-ink-faint">
        {levels.map(([detail, keeps]) => (
          <div key={detail} className="contents">
            <dt className="font-medium">{detail}</dt>
            <dd>{keeps}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-1.5 text-2xs text-ink-faint">
        <code className="font-mono">RLVIZ_STORAGE</code> sets them by family; a run&rsquo;s details
        choose for that run, also while it trains. Where a run has more, the oldest go.
      </p>
    </section>
  );
}
