import clsx from "clsx";
import { Card } from "@/components/ui/card";
import type { Comparison } from "@/lib/api";
import type { Looks } from "./looks";
import { settingRows } from "./settings";
import { Swatch } from "./swatch";

interface SettingsDiffProps {
  comparison: Comparison;
  looks: Looks;
}

/** Only what is not the same in all runs. */
export function SettingsDiff({ comparison: { config_diff, runs }, looks }: SettingsDiffProps) {
  const rows = settingRows(
    config_diff,
    runs.map(({ run }) => run.id),
  );
  const nameOf = new Map(runs.map(({ run }) => [run.id, run.name]));
  if (rows.length === 0) {
    return (
      <Card title="Settings">
        <p className="text-sm text-ink-soft">
          {runs.length === 1
            ? "There is nothing to compare the settings with yet."
            : "All settings are the same, seed and packages included: the runs repeat each other."}
        </p>
      </Card>
    );
  }
  return (
    <Card
      title="Settings that differ"
      aside={<span className="text-xs text-ink-faint">{rows.length}</span>}
      bodyClass=""
    >
      <ul className="divide-y divide-line">
        {rows.map(({ path, name, group, values }) => (
          <li
            key={path}
            className="grid gap-x-4 gap-y-1.5 px-4 py-2.5 text-sm md:grid-cols-[12rem_minmax(0,1fr)]"
          >
            <h3 className="min-w-0 font-mono text-xs font-medium wrap-anywhere">
              {name}
              {group && <span className="block font-sans font-normal text-ink-faint">{group}</span>}
            </h3>
            <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-2 lg:grid-cols-3">
              {values.map(({ runId, text, set }) => (
                <div key={runId} className="flex min-w-0 items-baseline gap-2">
                  <dt className="flex shrink-0 items-center gap-2 self-center">
                    <Swatch look={looks.get(runId)} />
                    <span className="max-w-28 truncate text-xs text-ink-soft">
                      {nameOf.get(runId)}
                    </span>
                  </dt>
                  <dd
                    className={clsx(
                      "min-w-0 font-mono text-xs wrap-anywhere tabular-nums",
                      set ? "font-medium" : "text-ink-faint",
                    )}
                  >
                    {text}
                  </dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
    </Card>
  );
}
