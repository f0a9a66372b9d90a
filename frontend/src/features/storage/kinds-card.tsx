import type { Storage } from "@/api/types";
import { bytes, percent, plural } from "@/lib/number";
import { Badge } from "@/ui/badge";
import { Card } from "@/ui/card";
import { Progress } from "@/ui/progress";

const WARN = 0.8;

/** What each kind of file takes: as a share of its quota if it has one, else of everything. */
export function KindsCard({ storage }: { storage: Storage }) {
  const found = storage.kinds.filter(({ files, quota }) => files > 0 || quota !== null);
  return (
    <Card title="By kind" bodyClass="">
      <ul className="divide-y divide-line">
        {found.map(({ kind, words, bytes: size, files, quota }) => {
          const share = size / Math.max(1, quota ?? storage.total_bytes);
          return (
            <li key={kind} className="px-4 py-2.5">
              <div className="flex items-baseline justify-between gap-3 text-sm">
                <span className="min-w-0 truncate">{words}</span>
                <span className="shrink-0 font-medium tabular-nums">{bytes(size)}</span>
              </div>
              <Progress
                share={share}
                live={quota !== null}
                label={words}
                valueText={`${bytes(size)}${quota === null ? "" : ` of ${bytes(quota)}`}`}
                className="my-1.5"
              />
              <p className="flex items-center justify-between gap-3 text-xs text-ink-faint tabular-nums">
                {plural(files, "file")}
                {quota !== null && (
                  <Badge tone={share >= 1 ? "bad" : share >= WARN ? "warn" : "rest"}>
                    {percent(share)} of {bytes(quota)}
                  </Badge>
                )}
              </p>
            </li>
          );
        })}
      </ul>
      {found.length === 0 && <p className="p-4 text-sm text-ink-soft">Nothing was measured yet.</p>}
    </Card>
  );
}
