import Link from "next/link";
import { useAlgorithmName } from "@/api/choices";
import type { Storage } from "@/api/types";
import { bytes, plural } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Card } from "@/ui/card";
import { Progress } from "@/ui/progress";

/** The runs that take most, with what of theirs does. */
export function RunsCard({ storage }: { storage: Storage }) {
  const algorithmName = useAlgorithmName();
  const words = new Map(storage.kinds.map((kind) => [kind.kind, kind.words]));
  const largest = Math.max(1, ...storage.runs.map((run) => run.bytes));
  const shown = storage.runs.length;
  const title =
    shown < storage.run_count
      ? `Largest ${shown} of ${plural(storage.run_count, "run")}`
      : "By run";
  return (
    <Card title={title} bodyClass="max-h-128 overflow-y-auto">
      <ul className="divide-y divide-line">
        {storage.runs.map((run) => {
          const [most] = Object.entries(run.kinds);
          return (
            <li key={run.id} className="px-4 py-2.5">
              <div className="flex items-baseline justify-between gap-3 text-sm">
                {run.status === null ? (
                  <span className="min-w-0 truncate font-mono text-xs">{run.id}</span>
                ) : (
                  <Link
                    href={routes.run(run.id)}
                    className="min-w-0 truncate font-medium text-accent hover:underline"
                  >
                    {run.name}
                  </Link>
                )}
                <span className="shrink-0 font-medium tabular-nums">{bytes(run.bytes)}</span>
              </div>
              <Progress
                share={run.bytes / largest}
                live={false}
                label={run.name}
                valueText={bytes(run.bytes)}
                className="my-1.5"
              />
              <p className="truncate text-xs text-ink-faint tabular-nums">
                {run.algo ? `${algorithmName(run.algo)} · ${run.env_id}` : "In no list of runs"}
                {most && ` · ${words.get(most[0] as never)} ${bytes(most[1])}`}
              </p>
            </li>
          );
        })}
      </ul>
      {shown === 0 && <p className="p-4 text-sm text-ink-soft">There is no run yet.</p>}
    </Card>
  );
}
