import type { Limits, SnapshotPlan } from "@/api/types";
import { bytes, count, setting } from "@/lib/number";
import { Field } from "@/ui/field";
import { controlClass } from "@/ui/select";
import { type Parsed, parseDecimal, parseInteger } from "./parse";

/** When snapshots are taken and how many are kept, as typed. Empty fields are ignored. */
export interface PlanDraft {
  steps: string;
  minutes: string;
  keep: string;
  /** Blank: as the service is set. */
  megabytes: string;
}

/** Problems by field of the plan. */
export type PlanProblems = Partial<Record<keyof SnapshotPlan, string>>;

const MB = 1e6;

/** The fields for a plan; without one, for the usual. */
export function planDraft(plan: SnapshotPlan | null | undefined, limits: Limits): PlanDraft {
  const usual = limits.snapshot_every_seconds.default ?? null;
  const { every_steps: steps = null, every_seconds: seconds = usual, keep, max_bytes } = plan ?? {};
  return {
    steps: steps === null ? "" : String(steps),
    minutes: seconds === null ? "" : setting(seconds / 60),
    keep: String(keep ?? limits.snapshots_kept.default ?? ""),
    megabytes: max_bytes == null ? "" : setting(max_bytes / MB),
  };
}

/** The plan that was typed, and the problems that prevent it. */
export function planOf(
  draft: PlanDraft,
  limits: Limits,
): { plan: SnapshotPlan; problems: PlanProblems } {
  const problems: PlanProblems = {};
  const take = (field: keyof SnapshotPlan, text: string, parse: () => Parsed) => {
    if (text.trim() === "") return null;
    const parsed = parse();
    if (parsed.ok) return parsed.value as number;
    problems[field] = parsed.problem;
    return null;
  };
  const { steps, minutes, keep, megabytes } = draft;
  const { snapshot_every_seconds: seconds, snapshot_bytes: room } = limits;
  const kept = parseInteger(keep, limits.snapshots_kept);
  if (!kept.ok) problems.keep = kept.problem;
  const every = take("every_seconds", minutes, () =>
    parseDecimal(minutes, { minimum: seconds.minimum / 60, maximum: seconds.maximum / 60 }),
  );
  const size = take("max_bytes", megabytes, () =>
    parseDecimal(megabytes, { minimum: room.minimum / MB, maximum: room.maximum / MB }),
  );
  const plan = {
    every_steps: take("every_steps", steps, () => parseInteger(steps, limits.snapshot_every_steps)),
    every_seconds: every === null ? null : every * 60,
    keep: kept.ok ? (kept.value as number) : 1,
    max_bytes: size === null ? null : Math.round(size * MB),
  };
  return { plan, problems };
}

/** For instance `every minute or 20,000 steps, newest 3 kept`. */
export function planText({ every_steps, every_seconds, keep, max_bytes }: SnapshotPlan): string {
  const minutes = every_seconds == null ? null : every_seconds / 60;
  const times = [
    minutes !== null && (minutes === 1 ? "minute" : `${setting(minutes)} minutes`),
    every_steps != null && `${count(every_steps)} steps`,
  ].filter(Boolean);
  const taken = times.length === 0 ? "none automatically" : `every ${times.join(" or ")}`;
  const room = max_bytes == null ? "" : ` within ${bytes(max_bytes)}`;
  return `${taken}, newest ${keep ?? ""} kept${room}`;
}

interface PlanFieldsProps {
  draft: PlanDraft;
  problems: PlanProblems;
  onChange: (change: Partial<PlanDraft>) => void;
}

/** Fields for when snapshots are taken, and how many are kept. */
export function PlanFields({ draft, problems, onChange }: PlanFieldsProps) {
  const field = (
    name: keyof PlanDraft,
    [label, hint, blank]: readonly [string, string, string],
    error?: string,
  ) => (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          inputMode={name === "steps" || name === "keep" ? "numeric" : "decimal"}
          autoComplete="off"
          placeholder={blank}
          className={controlClass}
          value={draft[name]}
          onChange={({ target }) => onChange({ [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <div className="grid grid-cols-2 items-start gap-3">
      {field(
        "minutes",
        ["Minutes between", "Whichever comes first", "never"],
        problems.every_seconds,
      )}
      {field("steps", ["Steps between", "Whichever comes first", "never"], problems.every_steps)}
      {field("keep", ["Keep the newest", "Named snapshots are always kept", ""], problems.keep)}
      {field(
        "megabytes",
        ["Within MB", "For all snapshots of the run", "as in the settings"],
        problems.max_bytes,
      )}
    </div>
  );
}
