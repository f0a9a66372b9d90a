import type { Health } from "@/lib/api";
import { storageWords } from "@/lib/storage-words";

/** How much is stored of evaluations, with a line for each family of environments. */
export function StorageProfiles({ storage }: { storage: Health["storage"] }) {
  return (
    <section aria-label="Step records" className="mt-5">
      <h3 className="text-xs font-medium text-ink-faint">Step records of evaluations</h3>
      <dl className="mt-1.5 divide-y divide-line border-y border-line text-sm tabular-nums">
        {Object.entries(storage).map(([family, profile]) => (
          <div key={family} className="flex min-h-9 items-center justify-between gap-4 py-1.5">
            <dt className="min-w-0 text-ink-soft">{profile.title}</dt>
            <dd className="text-right">{storageWords(profile)}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-1.5 text-2xs text-ink-faint">
        <code className="font-mono">RLVIZ_STORAGE</code> sets them. Where a run has more, the oldest
        go.
      </p>
    </section>
  );
}
