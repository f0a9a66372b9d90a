"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Clapperboard } from "lucide-react";
import { useEffect } from "react";
import { explainAction } from "@/api/http";
import { keys } from "@/api/keys";
import { filmAgain, recordingKeys } from "@/api/recording";
import { verificationQuery } from "@/api/steps";
import type { Evaluation } from "@/api/types";
import { count } from "@/lib/number";
import { Button } from "@/ui/button";
import { verificationText } from "./steps/verification-text";

/** Makes the video of an evaluation from its records, where there is none or none any more. */
export function FilmAgain({ evaluation }: { evaluation: Evaluation }) {
  const { run_id: run, id, summary } = evaluation;
  const client = useQueryClient();
  const { data: found } = useQuery(verificationQuery(run, id));
  const request = useMutation({
    mutationFn: () => filmAgain(run, id),
    onSuccess: (asked) => client.setQueryData(keys.verification(run, id), asked),
  });
  const mine = found?.film ? found : null;
  const busy = request.isPending || mine?.status === "running";
  const made = mine?.identical === true;

  // External system: the service, whose list has the video once it is made.
  useEffect(() => {
    if (!made) return;
    void client.invalidateQueries({ queryKey: keys.evaluations(run) });
    void client.invalidateQueries({ queryKey: recordingKeys.episodes(run) });
  }, [client, made, run]);

  return (
    <>
      <Button
        size="sm"
        needsService
        busy={busy}
        icon={<Clapperboard aria-hidden className="size-3.5" />}
        title="Play the recorded actions again, compare every record, and film it"
        onClick={() => request.mutate()}
      >
        {summary?.video ? "Film it again" : "Film it"}
      </Button>
      <p role="status" className="text-xs text-ink-soft tabular-nums">
        {request.error
          ? explainAction(request.error)
          : busy
            ? `${count(mine?.steps ?? 0)} of ${count(summary?.steps?.rows)} frames`
            : mine && !made
              ? verificationText(mine)
              : null}
      </p>
    </>
  );
}
