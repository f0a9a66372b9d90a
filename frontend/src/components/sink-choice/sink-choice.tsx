"use client";

import { useQuery } from "@tanstack/react-query";
import { offeredSinksQuery } from "@/api/sinks";
import type { OfferedSink, SinkKind } from "@/api/types";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { InstallCommand } from "./install-command";

interface SinkChoiceProps {
  chosen: readonly SinkKind[];
  onChange: (chosen: SinkKind[]) => void;
}

/** A choice among the programs that a new run can be delivered to as it trains. */
export function SinkChoice({ chosen, onChange }: SinkChoiceProps) {
  const { data, error, refetch, isFetching } = useQuery(offeredSinksQuery);
  if (error && !data) {
    return <ErrorState error={error} retry={() => void refetch()} retrying={isFetching} />;
  }
  if (!data) return <Skeleton className="h-40" />;
  return (
    <ul className="flex flex-col gap-2.5">
      {data.map((sink) => (
        <Choice
          key={sink.kind}
          sink={sink}
          checked={chosen.includes(sink.kind)}
          onChange={(checked) => {
            const others = chosen.filter((kind) => kind !== sink.kind);
            onChange(checked ? [...others, sink.kind] : others);
          }}
        />
      ))}
    </ul>
  );
}

interface ChoiceProps {
  sink: OfferedSink;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function Choice({ sink: { kind, label, install, place, note }, checked, onChange }: ChoiceProps) {
  const described = `sink-${kind}`;
  return (
    <li className="flex flex-col">
      <label className="flex min-h-8 w-fit items-center gap-2.5 text-sm font-medium has-disabled:text-ink-faint max-md:min-h-10">
        <input
          type="checkbox"
          checked={checked}
          disabled={install !== null && !checked}
          aria-describedby={described}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
          className="size-4 accent-accent"
        />
        {label}
      </label>
      <div id={described} className="pl-6.5 text-xs text-ink-soft">
        {install === null ? (
          <p className="break-words">
            Goes to {place}. {note}
          </p>
        ) : (
          <InstallCommand label={label} command={install} />
        )}
      </div>
    </li>
  );
}
