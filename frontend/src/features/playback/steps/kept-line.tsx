import { useQuery } from "@tanstack/react-query";
import { healthQuery } from "@/api/choices";
import { framesHashed, loweredText, recordingCostText } from "@/api/storage";
import type { Evaluation, StepsInfo } from "@/api/types";
import { bytes } from "@/lib/number";

interface KeptLineProps {
  evaluation: Evaluation;
  info: StepsInfo;
}

/** At which detail these records were made and what that cost, and how many bytes of records a run may have. */
export function KeptLine({ evaluation, info: { family, frames_every } }: KeptLineProps) {
  const { data: health } = useQuery(healthQuery);
  const most = health?.storage[family]?.max_bytes;
  const recording = evaluation.summary?.recording;
  return (
    <p className="text-xs text-ink-faint tabular-nums">
      {recording && `Recorded at ${recording.detail} detail${recordingCostText(recording.cost)}. `}
      {recording?.lowered && `${loweredText(recording.lowered)} `}
      {evaluation.origin === "run"
        ? "No frame was drawn, so none is hashed."
        : `Hashed: ${framesHashed(frames_every)}.`}
      {most !== undefined && ` Records of a run are kept up to ${bytes(most)}.`}
    </p>
  );
}
