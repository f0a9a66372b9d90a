import type { Run } from "@/lib/api";
import { age, moment } from "@/lib/format";

interface RunAgeProps {
  run: Pick<Run, "created_at">;
  /** Milliseconds; the table looks at the clock for all of its lines. */
  now: number;
}

export function RunAge({ run, now }: RunAgeProps) {
  return (
    <time dateTime={run.created_at} title={`Created ${moment(run.created_at)}`}>
      {age(run.created_at, now)}
    </time>
  );
}
