import { hasEnded } from "@/api/runs";
import type { RunDetail } from "@/api/types";

/** Why a run keeps no policy, in words. */
export function whyNoFilm(run: Pick<RunDetail, "status">): string {
  if (!hasEnded(run)) return "The policies of this run appear here as it learns.";
  return "No policy of this run was kept: it was trained before runs kept a film, or with RLVIZ_KEEP_FILM=0.";
}
