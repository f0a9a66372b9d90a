"use client";

import { decimal } from "@/lib/number";
import { useStore } from "@/lib/use-store";
import { ReadingFigures } from "@/player/reading/reading-figures";
import { chosenAction } from "@/player/reading/space";
import type { SessionClient } from "@/player/session/session-client";
import { Card } from "@/ui/card";

/** What the policy of the run would do now, whoever acts; nothing in a session without a policy. */
export function PolicyAdvice({ client }: { client: SessionClient }) {
  const record = useStore(client.moment)?.record;
  const { hello, actor, greedy } = useStore(client.state);
  if (!hello || !record?.reading) return null;
  const bounds = hello.action_bounds;
  const action = {
    ...hello.action_space,
    low: bounds?.map(([least]) => least ?? null),
    high: bounds?.map(([, greatest]) => greatest ?? null),
  };
  const { value } = record.reading;
  return (
    <Card
      title={actor === "policy" ? "What the policy does" : "What the policy would do"}
      bodyClass="flex flex-col gap-3 p-4"
    >
      <ReadingFigures
        record={record}
        action={action}
        chosen={chosenAction(record, null, greedy, action)}
      />
      {value !== null && (
        <p className="text-xs text-ink-soft">
          Expected return, V(s):{" "}
          <b className="font-medium text-ink tabular-nums">{decimal(value)}</b>
        </p>
      )}
    </Card>
  );
}
