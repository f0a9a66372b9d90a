"use client";

import { useState } from "react";
import { explainAction } from "@/api/http";
import { useEvaluationSteps } from "@/api/steps";
import { Dialog } from "@/ui/dialog";
import { Skeleton } from "@/ui/progress";
import { besides, type EpisodeChoice } from "./choices";
import { EpisodePair } from "./episode-pair";
import { EpisodeSelect } from "./episode-select";

interface SideBySideDialogProps {
  /** Every episode that can be shown. */
  choices: readonly EpisodeChoice[];
  /** Ids of the two that are shown first. */
  first: readonly [string, string];
  onClose: () => void;
}

/** Chooses two episodes and plays them side by side. */
export function SideBySideDialog({ choices, first, onClose }: SideBySideDialogProps) {
  const [[oneId, twoId], setIds] = useState<readonly [string, string]>(first);
  const one = choices.find(({ id }) => id === oneId) ?? choices[0];
  const others = one ? besides(one, choices) : [];
  const two = others.find(({ id }) => id === twoId) ?? others[0];
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title="Side by side"
      description="Both play in step from shortly before their actions first differ."
    >
      {one && two ? (
        <div className="flex flex-col gap-4">
          <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
            <EpisodeSelect
              label="First episode"
              choices={choices}
              value={one.id}
              onChange={(id) => setIds([id, two.id])}
            />
            <EpisodeSelect
              label="Second episode"
              choices={others}
              value={two.id}
              onChange={(id) => setIds([one.id, id])}
            />
          </div>
          <Read key={`${one.id} ${two.id}`} one={one} two={two} />
        </div>
      ) : (
        <p className="py-6 text-sm text-ink-soft">
          There is no second episode: one of the same evaluation, or one of another evaluation on
          the same seed, with its video and step records.
        </p>
      )}
    </Dialog>
  );
}

function Read({ one, two }: { one: EpisodeChoice; two: EpisodeChoice }) {
  const [first, second] = [useRecords(one), useRecords(two)];
  const error = first.error ?? second.error;
  if (error) {
    return (
      <p role="alert" className="py-6 text-sm text-bad-strong">
        {explainAction(error)}
      </p>
    );
  }
  if (!first.data || !second.data) {
    return (
      <div
        role="status"
        aria-label="Reading the episodes"
        className="grid grid-cols-2 gap-2 sm:gap-4"
      >
        <Skeleton className="aspect-3/2" />
        <Skeleton className="aspect-3/2" />
      </div>
    );
  }
  return (
    <EpisodePair
      sides={[
        { choice: one, steps: first.data },
        { choice: two, steps: second.data },
      ]}
    />
  );
}

function useRecords({ evaluation, episode }: EpisodeChoice) {
  return useEvaluationSteps(evaluation.run_id, evaluation.id, episode.index - 1);
}
