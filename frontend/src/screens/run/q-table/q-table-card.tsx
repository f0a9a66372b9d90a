"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { Download } from "lucide-react";
import { useState } from "react";
import { keys } from "@/api/keys";
import { artifactLink } from "@/api/run-files";
import { fetchQTable, Q_TABLE, type QTableFile } from "@/api/run-record";
import { isActive } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { download } from "@/lib/download";
import { count, decimal, plural } from "@/lib/number";
import { createStore } from "@/lib/store";
import { useStoreValue } from "@/lib/use-store";
import type { Moment, SessionClient } from "@/player/session/session-client";
import type { SessionState } from "@/player/session/session-machine";
import { useSessionOf } from "@/player/session/watch-session";
import { Button, buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { Skeleton } from "@/ui/progress";
import { Segmented } from "@/ui/segmented";
import {
  type Cell,
  picture,
  type QPicture,
  type Quantity,
  shownAs,
  sign,
  squareName,
} from "./q-table";

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

interface QTableGridProps {
  table: QPicture;
  actions: readonly string[];
  /** The state of an agent that plays in a session; null without one. */
  played: number | null;
  pointed: number | null;
  onPoint: (state: number | null) => void;
}

/** With more columns than this, cells show only colour; a cell's value is shown when it is selected. */
const ROOMY = 12;
const STRONGEST = 45;

function QTableGrid({
  table: { rows, quantity },
  actions,
  played,
  pointed,
  onPoint,
}: QTableGridProps) {
  const columns = rows[0]?.length ?? 0;
  const dense = columns > ROOMY;
  return (
    <table className="w-full table-fixed border-separate border-spacing-0.5 text-center">
      <caption className="sr-only">
        {quantity === "visits"
          ? "Best action and visits of every state"
          : "Best action and value of every state"}
      </caption>
      <tbody>
        {rows.map((row) => (
          <tr key={row[0]?.state}>
            {row.map((cell) => (
              <td key={cell.state} className="p-0">
                <Square
                  cell={cell}
                  quantity={quantity}
                  actions={actions}
                  dense={dense}
                  wide={columns > 6}
                  played={cell.state === played}
                  pointed={cell.state === pointed}
                  onPoint={() => onPoint(cell.state === pointed ? null : cell.state)}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface SquareProps {
  cell: Cell;
  quantity: Quantity;
  actions: readonly string[];
  dense: boolean;
  wide: boolean;
  played: boolean;
  pointed: boolean;
  onPoint: () => void;
}

function Square({ cell, quantity, actions, dense, wide, played, pointed, onPoint }: SquareProps) {
  const { letter, value, visits, best, shown, share } = cell;
  const name = squareName(letter);
  const signs = best.map((action) => sign(actions[action] ?? String(action)));
  const words = best.map((action) => actions[action]).join(" or ");
  const says = [
    value === null ? "no value" : `${words}, ${decimal(value)}`,
    quantity === "visits" && plural(visits ?? 0, "visit"),
    played && "the agent is here",
  ];
  return (
    <button
      type="button"
      aria-pressed={pointed}
      aria-label={`State ${cell.state}${name ? `, ${name}` : ""}: ${says.filter(Boolean).join(", ")}`}
      onClick={onPoint}
      style={{
        background:
          shown === null
            ? undefined
            : `color-mix(in oklab, var(--accent) ${Math.round(share * STRONGEST)}%, var(--surface))`,
      }}
      className={clsx(
        "relative grid aspect-square w-full place-content-center overflow-hidden rounded-sm border text-ink tabular-nums",
        pointed ? "border-accent" : "border-line",
        cell.terminal && "bg-rest-tint",
        played && "ring-2 ring-accent",
      )}
    >
      {played && (
        <span
          aria-hidden
          className={clsx(
            "absolute rounded-full bg-accent",
            dense ? "top-0 right-0 size-1" : "top-1 right-1 size-2",
          )}
        />
      )}
      {shown === null ? (
        <span className="text-xs text-ink-soft">{!dense && (name ?? "·")}</span>
      ) : (
        <>
          <span className={clsx("leading-none font-medium", dense ? "text-2xs" : "text-base")}>
            {dense && signs.length > 1
              ? "·"
              : signs
                  .slice(0, 2)
                  .join("")
                  .slice(0, dense ? 1 : 6)}
          </span>
          {!wide && <span className="mt-1 text-2xs text-ink-soft">{shownAs(quantity, shown)}</span>}
        </>
      )}
    </button>
  );
}

const SIDE = 72;
const SMALL_SIDE = 24;
const MARGIN = 12;

/** Paints the table in the colours of the page. */
function paintTable({ rows, quantity }: QPicture, actions: readonly string[]): HTMLCanvasElement {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const columns = rows[0]?.length ?? 0;
  const side = columns > 12 ? SMALL_SIDE : SIDE;
  const canvas = document.createElement("canvas");
  canvas.width = (columns * side + 2 * MARGIN) * devicePixelRatio;
  canvas.height = (rows.length * side + 2 * MARGIN) * devicePixelRatio;
  const ctx = canvas.getContext("2d")!;
  ctx.scale(devicePixelRatio, devicePixelRatio);
  ctx.fillStyle = token("surface");
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.textAlign = "center";
  const family = getComputedStyle(document.body).fontFamily;
  rows.forEach((row, y) =>
    row.forEach(({ shown, share, best, letter, terminal }, x) => {
      const [left, top] = [MARGIN + x * side, MARGIN + y * side];
      const strength = Math.round(share * STRONGEST);
      ctx.fillStyle = terminal
        ? token("rest-tint")
        : `color-mix(in oklab, ${token("accent")} ${strength}%, ${token("surface")})`;
      ctx.fillRect(left + 1, top + 1, side - 2, side - 2);
      ctx.strokeStyle = token("line");
      ctx.strokeRect(left + 1, top + 1, side - 2, side - 2);
      ctx.fillStyle = token("ink");
      const middle = left + side / 2;
      if (side === SMALL_SIDE || shown === null) {
        ctx.font = `11px ${family}`;
        const only = best.length === 1 ? sign(actions[best[0]!] ?? "").slice(0, 1) : "·";
        const text = shown === null ? (squareName(letter) ?? "") : only;
        ctx.fillText(side === SMALL_SIDE ? text.slice(0, 1) : text, middle, top + side / 2 + 4);
        return;
      }
      ctx.font = `600 18px ${family}`;
      const signs = best.map((action) => sign(actions[action] ?? String(action)));
      ctx.fillText(signs.slice(0, 2).join("").slice(0, 6), middle, top + side / 2);
      ctx.font = `11px ${family}`;
      ctx.fillText(shownAs(quantity, shown), middle, top + side / 2 + 18);
    }),
  );
  return canvas;
}

const NOBODY = createStore<Moment | null>(null);
const NO_POLICY = createStore<Pick<SessionState, "policy">>({ policy: null });

/** The state of the agent in a session on this page, in step with its frame; null without one. */
function usePlayedState(session: SessionClient | null): number | null {
  return useStoreValue(session?.moment ?? NOBODY, (moment) => {
    const observation = moment?.record.observation;
    return typeof observation === "number" ? observation : null;
  });
}

/** The step of the policy that plays in a session on this page; null without one. */
function usePlayedPolicy(session: SessionClient | null): number | null {
  return useStoreValue(session?.state ?? NO_POLICY, ({ policy }) => policy?.step ?? null);
}
