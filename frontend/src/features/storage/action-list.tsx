import Link from "next/link";
import type { ReactNode } from "react";
import type { StorageAction } from "@/api/types";
import { bytes } from "@/lib/number";
import { routes } from "@/lib/routes";

interface ActionListProps<D extends StorageAction> {
  actions: readonly D[];
  /** Placed before the run: when it was done. */
  when?: (action: D) => ReactNode;
}

/** What was, or would be, done to which run, by which rule. */
export function ActionList<D extends StorageAction>({ actions, when }: ActionListProps<D>) {
  return (
    <ul className="max-h-96 divide-y divide-line overflow-y-auto rounded-md border border-line text-sm">
      {actions.map((action, place) => (
        <li key={`${place} ${action.run_id}`} className="px-3 py-2" title={action.rule}>
          <div className="flex flex-wrap items-baseline gap-x-3">
            {when && <span className="text-xs text-ink-faint tabular-nums">{when(action)}</span>}
            <Link
              href={routes.run(action.run_id)}
              className="min-w-0 truncate font-mono text-xs text-accent hover:underline"
            >
              {action.run_id}
            </Link>
            <span className="ml-auto text-xs tabular-nums">
              {action.bytes > 0 && bytes(action.bytes)}
            </span>
          </div>
          <p className="text-xs break-words text-ink-soft">{action.what}</p>
          {action.problem && <p className="text-xs break-words text-bad">{action.problem}</p>}
        </li>
      ))}
    </ul>
  );
}
