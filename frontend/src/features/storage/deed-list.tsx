import Link from "next/link";
import type { ReactNode } from "react";
import type { StorageDeed } from "@/lib/api";
import { bytes } from "@/lib/format";
import { routes } from "@/lib/url";

interface DeedListProps<D extends StorageDeed> {
  deeds: readonly D[];
  /** Placed before the run: when it was done. */
  when?: (deed: D) => ReactNode;
}

/** What was, or would be, done to which run, by which rule. */
export function DeedList<D extends StorageDeed>({ deeds, when }: DeedListProps<D>) {
  return (
    <ul className="max-h-96 divide-y divide-line overflow-y-auto rounded-md border border-line text-sm">
      {deeds.map((deed, place) => (
        <li key={`${place} ${deed.run_id}`} className="px-3 py-2" title={deed.rule}>
          <div className="flex flex-wrap items-baseline gap-x-3">
            {when && <span className="text-xs text-ink-faint tabular-nums">{when(deed)}</span>}
            <Link
              href={routes.run(deed.run_id)}
              className="min-w-0 truncate font-mono text-xs text-accent hover:underline"
            >
              {deed.run_id}
            </Link>
            <span className="ml-auto text-xs tabular-nums">
              {deed.bytes > 0 && bytes(deed.bytes)}
            </span>
          </div>
          <p className="text-xs break-words text-ink-soft">{deed.what}</p>
          {deed.problem && <p className="text-xs break-words text-bad">{deed.problem}</p>}
        </li>
      ))}
    </ul>
  );
}
