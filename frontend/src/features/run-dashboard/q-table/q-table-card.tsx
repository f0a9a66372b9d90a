"use client";

import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { keys } from "@/api/keys";
import { artifactLink } from "@/api/run-files";
import { fetchQTable, Q_TABLE, type QTableFile } from "@/api/run-record";
import { isActive } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { download } from "@/lib/download";
import { count, decimal, plural } from "@/lib/number";
import { useSessionOf } from "@/player/session/watch-session";
import { Button, buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { Skeleton } from "@/ui/progress";
import { Segmented } from "@/ui/segmented";
import { paintTable } from "./paint-table";
import { type Cell, picture, type QPicture, type Quantity, shownAs, sign } from "./q-table";
import { QTableGrid } from "./q-table-grid";
import { usePlayedPolicy, usePlayedState } from "./use-played-state";

const WHILE_LIVE = 5000;
/** Milliseconds for which the table of an earlier moment is held, which nothing shows any more. */
const HELD = 10_000;

/**
 * The Q-table of a tabular algorithm: the best action of every state with its value, or how often the state was visited.
 * While somebody watches the agent, the trainer writes it together with the weights that are played.
 */
export function QTableCard({ run }: { run: RunDetail }) {
  const session = useSessionOf(run.id);
  const played = usePlayedState(session);
  const policy = usePlayedPolicy(session);
  const { data: file } = useQuery({
    queryKey: [...keys.table(run.id), run.policy_step, policy],
    queryFn: ({ signal }) => fetchQTable(run.id, signal),
    refetchInterval: isActive(run) && WHILE_LIVE,
    placeholderData: (old) => old,
    gcTime: HELD,
  });
  const [quantity, setQuantity] = useState<Quantity>("value");
  const [pointed, setPointed] = useState<number | null>(null);
  if (file === undefined) {
    return (
      <Card title="Q-table">
        <Skeleton className="aspect-square" />
      </Card>
    );
  }
  if (file === null) {
    return (
      <Card title="Q-table">
        <p className="py-6 text-center text-sm text-ink-soft">
          Drawn as soon as the first checkpoint is saved
        </p>
      </Card>
    );
  }
  const table = picture(file, file.visits ? quantity : "value");
  const cell = table.rows.flat().find(({ state }) => state === pointed);
  return (
    <Card
      title="Q-table"
      aside={
        <span className="-mr-2 flex items-center gap-1">
          <Button
            size="sm"
            variant="quiet"
            aria-label="Download the Q-table as a picture"
            icon={<Download aria-hidden className="size-3.5" />}
            onClick={() =>
              paintTable(table, file.actions).toBlob(
                (blob) => blob && download(`${run.id}-q-table.png`, blob),
              )
            }
          >
            PNG
          </Button>
          <a
            href={artifactLink(run.id, Q_TABLE)}
            download={`${run.id}-${Q_TABLE}`}
            aria-label="Download the Q-table as JSON"
            className={buttonClass("quiet", "sm")}
          >
            JSON
          </a>
        </span>
      }
      bodyClass="flex flex-col gap-3 p-4"
    >
      {file.visits && (
        <Segmented
          legend="What the squares show"
          options={QUANTITIES}
          value={quantity}
          onChange={setQuantity}
          className="self-start"
        />
      )}
      <QTableGrid
        table={table}
        actions={file.actions}
        played={played}
        pointed={pointed}
        onPoint={setPointed}
      />
      <Legend table={table} />
      <p className="min-h-8 text-xs text-ink-soft tabular-nums">
        {cell ? (
          <Values file={file} cell={cell} />
        ) : (
          `Greedy action and ${table.quantity === "visits" ? "how often the state was visited up to" : "its value at"} step ${count(file.step)}; ${count(table.visited)} of ${plural(file.states, "state")} visited. Choose a square for all its values and how often each action was taken.`
        )}
      </p>
    </Card>
  );
}

const QUANTITIES: readonly { value: Quantity; label: string }[] = [
  { value: "value", label: "Value" },
  { value: "visits", label: "Visits" },
];

function Values({ file, cell }: { file: QTableFile; cell: Cell }) {
  const visits = file.visits?.[cell.state];
  const values = (file.q[cell.state] ?? []).map((value, action) => (
    <span key={action} className="whitespace-nowrap">
      {sign(file.actions[action] ?? String(action))}{" "}
      <b className="font-medium text-ink">{decimal(value)}</b>
      {visits && <span className="text-ink-faint"> {count(visits[action])}×</span>}
    </span>
  ));
  return (
    <span className="flex flex-wrap gap-x-3">
      <span>State {cell.state}:</span> {values}
    </span>
  );
}

function Legend({ table: { quantity, low, high } }: { table: QPicture }) {
  return (
    <div className="flex items-center gap-2 text-2xs text-ink-faint tabular-nums">
      {shownAs(quantity, low)}
      <span
        aria-hidden
        className="h-2 grow rounded-full border border-line"
        style={{
          background:
            "linear-gradient(to right, var(--surface), color-mix(in oklab, var(--accent) 45%, var(--surface)))",
        }}
      />
      {shownAs(quantity, high)}
      {quantity === "visits" && " visits"}
    </div>
  );
}
