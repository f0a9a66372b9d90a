import { useQuery } from "@tanstack/react-query";
import { experimentEstimateQuery } from "@/api/experiments";
import type { CreateExperiment } from "@/api/types";
import { useSettled } from "@/lib/time";

/** How long a form stands still before the service is asked what it would train. */
const ESTIMATE_MS = 250;

/** What the service would train of a specification; undefined until it is known. */
export function useEstimate(specification: CreateExperiment, isValid: boolean) {
  const settled = useSettled(JSON.stringify(specification), ESTIMATE_MS);
  const { data } = useQuery({
    ...experimentEstimateQuery(JSON.parse(settled) as CreateExperiment),
    enabled: isValid,
  });
  return data;
}
