import { useQuery } from "@tanstack/react-query";
import { healthQuery, type StepsInfo } from "@/lib/api";
import { bytes } from "@/lib/format";
import { framesHashed } from "@/lib/storage-words";

/** Which frames of these records were hashed, and how many bytes of records a run may have. */
export function KeptLine({ info: { family, frames_every } }: { info: StepsInfo }) {
  const { data: health } = useQuery(healthQuery);
  const most = health?.storage[family]?.max_bytes;
  return (
    <p className="text-xs text-ink-faint tabular-nums">
      Hashed: {framesHashed(frames_every)}
      {frames_every > 1 && ", and the last of each episode"}.
      {most !== undefined && ` Records of a run are kept up to ${bytes(most)}.`}
    </p>
  );
}
