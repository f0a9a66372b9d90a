"use client";

import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { limitsQuery, useAlgorithmName } from "@/api/choices";
import { experimentQuery } from "@/api/experiments";
import type { Experiment } from "@/api/types";
import { download, fileName } from "@/lib/download";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { CopyButton } from "@/ui/copy-button";
import { Disclosure } from "@/ui/disclosure";
import { described } from "./described";

/**
 * A description of what an experiment trains, how often, how it is scored and when it gives up; and the same as a file.
 */
export function SpecificationCard({ id }: { id: string }) {
  const { data } = useQuery(experimentQuery(id));
  return data ? (
    <Card label="Specification" bodyClass="px-4 py-1.5">
      <Disclosure summary={<span className="font-semibold">Specification</span>}>
        <Specification experiment={data} />
      </Disclosure>
    </Card>
  ) : null;
}

function Specification({ experiment }: { experiment: Experiment }) {
  const { facts, table } = described(experiment, useAlgorithmName(), useQuery(limitsQuery).data);
  const json = specificationText(experiment);
  // JSON is YAML too: that is what `rlviz experiment run` reads.
  const name = `${fileName(experiment.name)}.yaml`;
  return (
    <div className="flex flex-col gap-4 pt-2 pb-3">
      <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-2 lg:grid-cols-3">
        {facts.map(([fact, value]) => (
          <div key={fact} className="min-w-0">
            <dt className="text-xs text-ink-faint">{fact}</dt>
            <dd className="break-words tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <SettingsTable {...table} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-xs text-ink-soft">
        <Button
          size="sm"
          icon={<Download aria-hidden className="size-3.5" />}
          onClick={() => download(name, new Blob([json], { type: "application/yaml" }))}
        >
          Download
        </Button>
        <CopyButton text={json} label="Copy the specification" />
        <span className="min-w-0">
          <code className="font-mono break-all">rlviz experiment run {name}</code> trains it again
          with the presets that it was created with.
        </span>
      </div>
      <Disclosure summary={<span className="text-xs font-normal text-ink-soft">As JSON</span>}>
        <pre
          tabIndex={0}
          role="region"
          aria-label="Specification as JSON"
          className="max-h-96 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs"
        >
          {json}
        </pre>
      </Disclosure>
    </div>
  );
}

/** With its name, even if the service generated the name. */
function specificationText({ name, specification }: Experiment): string {
  return `${JSON.stringify({ ...specification, name }, null, 2)}\n`;
}

function SettingsTable({
  columns,
  rows,
}: {
  columns: readonly string[];
  rows: readonly string[][];
}) {
  return (
    <div
      className="relative max-h-96 overflow-auto"
      tabIndex={0}
      role="region"
      aria-label="Settings"
    >
      <table className="w-full text-sm tabular-nums">
        <thead className="sticky top-0 bg-surface text-left text-xs text-ink-soft">
          <tr className="border-b border-line [&>th]:py-1.5 [&>th]:pr-4 [&>th]:font-medium">
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...cells], row) => (
            <tr key={row} className="border-b border-line last:border-0 [&>*]:py-1.5 [&>*]:pr-4">
              <th scope="row" className="max-w-64 text-left font-medium break-words">
                {first}
              </th>
              {cells.map((cell, place) => (
                <td key={place} className="whitespace-nowrap">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
