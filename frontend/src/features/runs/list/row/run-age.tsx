import type { Run } from "@/api/types";
import { age, moment } from "@/lib/format-time";

interface RunAgeProps {
  run: Pick<Run, "created_at">;
  /** The current time in milliseconds; passed in, so that the table has one clock for all rows. */
  now: number;
}

export function RunAge({ run, now }: RunAgeProps) {
  return (
    <time dateTime={run.created_at} title={`Created ${moment(run.created_at)}`}>
      {age(run.created_at, now)}
    </time>
  );
}
