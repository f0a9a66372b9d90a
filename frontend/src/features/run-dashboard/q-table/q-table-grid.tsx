import clsx from "clsx";
import { decimal, plural } from "@/lib/number";
import { type Cell, type QPicture, type Quantity, shownAs, sign, squareName } from "./q-table";

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

export function QTableGrid({
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
