import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { learns } from "@/api/run-availability";
import { memoryNeededQuery } from "@/api/runs";
import type { CreateRun, MemoryNeeded } from "@/api/types";
import { bytes } from "@/lib/number";
import { useSettled } from "@/lib/time";
import { algorithmOf, environmentOf, type FieldsProps } from "./draft";

/** Milliseconds after the last change before memory is estimated. */
const ESTIMATE_MS = 300;

interface MemoryNoteProps extends Pick<FieldsProps, "choices" | "draft" | "problems"> {
  body: CreateRun;
}

/**
 * How much memory the buffer, the archive and imitation of a run need. Without exploration, only where the agent sees
 * pictures: elsewhere buffers are small.
 */
export function MemoryNote({ choices, draft, problems, body }: MemoryNoteProps) {
  const algorithm = algorithmOf(choices, draft);
  const { algo, env_id, preset, total_timesteps, env_options, hyperparameters, exploration } = body;
  const isLarge =
    environmentOf(choices, draft)?.observation_space.is_picture === true ||
    exploration?.archive != null ||
    exploration?.imitation != null;
  const isValid = Object.keys(problems).length === 0;
  const shown = isLarge && algorithm !== undefined && learns(algorithm) && isValid;
  const asked = JSON.stringify({
    ...{ algo, env_id, preset, total_timesteps, env_options, hyperparameters, exploration },
  });
  const settled = useSettled(asked, ESTIMATE_MS);
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
      Needs up to {bytes(data.bytes)} of memory{partsOf(data)}. {bytes(data.free_bytes)} are free.
    </p>
  );
}

/** What needs the memory: ` for its buffer (n_steps)`, or the size of each part. */
function partsOf(needed: MemoryNeeded): string {
  const { buffer_bytes, archive_bytes, imitation_bytes, hyperparameter } = needed;
  const buffer = hyperparameter === null ? "its table" : `its buffer (${hyperparameter})`;
  if (archive_bytes === 0 && imitation_bytes === 0) return ` for ${buffer}`;
  const parts = [
    `${bytes(buffer_bytes)} for ${buffer}`,
    archive_bytes > 0 && `${bytes(archive_bytes)} for the archive`,
    imitation_bytes > 0 && `${bytes(imitation_bytes)} for imitation`,
  ];
  return `: ${parts.filter(Boolean).join(", ")}`;
}
