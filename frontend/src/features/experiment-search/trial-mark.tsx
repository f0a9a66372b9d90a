import type { SearchedTrial } from "@/api/types";
import { decimal } from "@/lib/number";

interface TrialMarkProps {
  trial: Pick<SearchedTrial, "number" | "state" | "objective" | "is_best_so_far">;
  x: number;
  y: number;
  picked: boolean;
  /** Left out by a brush. */
  faint?: boolean;
  onPick: (number: number) => void;
}

const SHAPES: Record<SearchedTrial["state"], string> = {
  complete: "",
  running: "",
  pruned: "M-4 -3.5L4 -3.5L0 4Z",
  failed: "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5",
};

/**
 * A trial in a picture. Its shape tells its state: a disc is complete, a ring still runs, a triangle was given up, a
 * cross failed. By keyboard trials are picked in the table below the pictures.
 */
export function TrialMark({ trial, x, y, picked, faint = false, onPick }: TrialMarkProps) {
  const { number, state, objective, is_best_so_far } = trial;
  const words = `Trial ${number}: ${objective === null ? state : decimal(objective)}`;
  return (
    <g
      transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
      className="cursor-pointer"
      data-trial={number}
      data-state={state}
      opacity={faint ? 0.25 : 1}
      onClick={() => onPick(number)}
    >
      <title>{words}</title>
      <circle r={9} className="fill-transparent" />
      {picked && <circle r={7} className="fill-none stroke-ink" strokeWidth={1.5} />}
      {state === "complete" && (
        <circle r={3.5} className={is_best_so_far ? "fill-good" : "fill-accent"} />
      )}
      {state === "running" && (
        <circle r={3.5} className="fill-none stroke-accent" strokeWidth={1.5} />
      )}
      {SHAPES[state] && (
        <path
          d={SHAPES[state]}
          className={state === "failed" ? "fill-none stroke-bad" : "fill-none stroke-ink-faint"}
          strokeWidth={1.5}
        />
      )}
    </g>
  );
}

const MEANINGS: Record<SearchedTrial["state"], string> = {
  complete: "complete",
  running: "waiting or running",
  pruned: "pruned",
  failed: "failed",
};

interface MarkLegendProps {
  states: readonly SearchedTrial["state"][];
  /** Whether a trial was better than all before it. */
  hasBest: boolean;
}

/** What the shapes mean, of those that are there. */
export function MarkLegend({ states, hasBest }: MarkLegendProps) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
      <li className="flex items-center gap-1.5">
        <svg aria-hidden width={16} height={14}>
          <path d="M0 7H16" className="stroke-good" strokeWidth={1.5} />
        </svg>
        best so far
      </li>
      {hasBest && <Meaning state="complete" isBest words="better than all before" />}
      {states.map((state) => (
        <Meaning key={state} state={state} words={MEANINGS[state]} />
      ))}
    </ul>
  );
}

interface MeaningProps {
  state: SearchedTrial["state"];
  isBest?: boolean;
  words: string;
}

function Meaning({ state, isBest = false, words }: MeaningProps) {
  return (
    <li className="flex items-center gap-1.5">
      <svg aria-hidden width={14} height={14}>
        <TrialMark
          trial={{ number: 0, state, objective: null, is_best_so_far: isBest }}
          {...{ x: 7, y: 7, picked: false, onPick: () => undefined }}
        />
      </svg>
      {words}
    </li>
  );
}
