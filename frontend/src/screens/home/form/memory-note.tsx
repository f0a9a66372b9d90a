import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { learns } from "@/api/run-availability";
import { memoryNeededQuery } from "@/api/runs";
import type { CreateRun } from "@/api/types";
import { bytes } from "@/lib/number";
import { useSettled } from "@/lib/time";
import { algorithmOf, environmentOf, type FieldsProps } from "./draft";

/** Milliseconds after the last change before memory is estimated. */
const ESTIMATE_MS = 300;

interface MemoryNoteProps extends Pick<FieldsProps, "choices" | "draft" | "problems"> {
  body: CreateRun;
}

/** How much memory the buffers of a run need, where the agent sees pictures: there they need by far the most. */
export function MemoryNote({ choices, draft, problems, body }: MemoryNoteProps) {
  const algorithm = algorithmOf(choices, draft);
  const seesPictures = environmentOf(choices, draft)?.observation_space.is_picture === true;
  const { algo, env_id, preset, total_timesteps, env_options, hyperparameters } = body;
  const asked = JSON.stringify({
    ...{ algo, env_id, preset, total_timesteps, env_options, hyperparameters },
  });
  const settled = useSettled(asked, ESTIMATE_MS);
  const isValid = Object.keys(problems).length === 0;
  const shown = seesPictures && algorithm !== undefined && learns(algorithm) && isValid;
  const { data } = useQuery({
    ...memoryNeededQuery(JSON.parse(settled) as CreateRun),
    enabled: shown,
  });
  if (!shown || !data) return null;
  return data.warning !== null ? (
    <p
      role="status"
      className="flex items-start gap-2 rounded-md bg-warn-tint px-3 py-1.5 text-xs text-warn"
    >
      <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
      {data.warning}
    </p>
  ) : (
    <p className="text-xs text-ink-faint">
      Needs about {bytes(data.bytes)} of memory for its{" "}
      {data.hyperparameter === null ? "table" : `buffer (${data.hyperparameter})`};{" "}
      {bytes(data.free_bytes)} are free.
    </p>
  );
}
