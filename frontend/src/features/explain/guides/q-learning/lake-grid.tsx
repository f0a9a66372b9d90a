import { best, SIZE, STATES, tile } from "./lake";

const CELL = 76;
const TURN = [180, 90, 0, 270];

/** The Q-table as a map: a cell's colour is the value of its best action, the arrow is that action. */
export function LakeGrid({ table, label }: { table: readonly number[][]; label: string }) {
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${SIZE * CELL} ${SIZE * CELL}`}
      className="mx-auto block w-full max-w-88"
    >
      {Array.from({ length: STATES }, (_, state) => (
        <Cell key={state} state={state} row={table[state] ?? []} />
      ))}
    </svg>
  );
}

function Cell({ state, row }: { state: number; row: readonly number[] }) {
  const kind = tile(state);
  const value = best(row);
  const ends = kind === "H" || kind === "G";
  return (
    <g transform={`translate(${(state % SIZE) * CELL} ${Math.floor(state / SIZE) * CELL})`}>
      <rect
        x={2}
        y={2}
        width={CELL - 4}
        height={CELL - 4}
        rx={6}
        className={kind === "H" ? "fill-rest-tint stroke-line" : "fill-surface stroke-line-strong"}
      />
      {!ends && value > 0 && (
        <rect
          x={2}
          y={2}
          width={CELL - 4}
          height={CELL - 4}
          rx={6}
          className="fill-accent"
          opacity={0.08 + 0.3 * Math.min(value, 1)}
        />
      )}
      <text x={10} y={19} className="fill-ink-soft text-2xs">
        {{ S: "start", F: "", H: "hole", G: "goal" }[kind]}
      </text>
      {kind === "H" && (
        <circle cx={CELL / 2} cy={CELL / 2 + 3} r={15} className="fill-line-strong" />
      )}
      {kind === "G" && (
        <path
          d="M32 56V26l18 8-18 8"
          className="fill-good-tint stroke-good"
          strokeWidth={2.5}
          strokeLinejoin="round"
        />
      )}
      {!ends && value > 0 && (
        <path
          d="M-15 0H13M5 -8L14 0 5 8"
          transform={`translate(${CELL / 2} ${CELL / 2 - 3}) rotate(${TURN[row.indexOf(value)] ?? 0})`}
          fill="none"
          className="stroke-ink"
          strokeWidth={2.5}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      )}
      {!ends && (
        <text
          x={CELL / 2}
          y={CELL - 11}
          textAnchor="middle"
          className="fill-ink text-2xs tabular-nums"
        >
          {value.toFixed(2)}
        </text>
      )}
    </g>
  );
}
