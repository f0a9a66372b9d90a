"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { offeredSinksQuery } from "@/api/sinks";
import type { OfferedSink, SinkKind } from "@/api/types";
import { plural } from "@/lib/number";
import { CopyButton } from "@/ui/copy-button";
import { Disclosure } from "@/ui/disclosure";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";

interface SinkDisclosureProps {
  chosen: readonly SinkKind[];
  onChange: (chosen: SinkKind[]) => void;
  className?: string;
}

/** The part of a form that says which other programs new runs are delivered to as they train. */
export function SinkDisclosure({ chosen, onChange, className }: SinkDisclosureProps) {
  const [open, setOpen] = useState(chosen.length > 0);
  return (
    <Disclosure
      className={className}
      open={open}
      onToggle={setOpen}
      summary={<span className="font-semibold">Sinks</span>}
      aside={
        <span className="text-xs font-normal text-ink-faint">
          {chosen.length === 0 ? "none" : plural(chosen.length, "sink")}
        </span>
      }
    >
      {open && (
        <div className="flex flex-col gap-3 pt-3 pb-2 pl-2.5">
          <p className="text-xs text-ink-soft">
            Runs are delivered to these programs as they train. Training does not wait for them.
          </p>
          <SinkChoice chosen={chosen} onChange={onChange} />
        </div>
      )}
    </Disclosure>
  );
}

interface SinkChoiceProps {
  chosen: readonly SinkKind[];
  onChange: (chosen: SinkKind[]) => void;
}

/** A choice among the programs that a new run can be delivered to as it trains. */
function SinkChoice({ chosen, onChange }: SinkChoiceProps) {
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
            Sent to {place}. {note}
          </p>
        ) : (
          <InstallCommand label={label} command={install} />
        )}
      </div>
    </li>
  );
}

/** The command that installs a sink's package, with a button to copy it. */
export function InstallCommand({ label, command }: { label: string; command: string }) {
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-xs text-ink-soft">
      <span>Not installed where the service runs:</span>
      <code className="font-mono break-all text-ink">{command}</code>
      <CopyButton text={command} label={`Copy the command that installs ${label}`} />
    </p>
  );
}
