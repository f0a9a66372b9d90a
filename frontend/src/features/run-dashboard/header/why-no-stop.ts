import { isActive, type Run } from "@/lib/api";

/** Why there is nothing to stop; null when there is. */
export function whyNoStop(run: Run): string | null {
  if (run.status === "created") return "This run has not been started";
  if (run.status === "stopping") return "The run stops after the update under way";
  return isActive(run) ? null : `This run has ended: ${run.status}`;
}
