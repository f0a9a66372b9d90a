"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { metricDefinitionsQuery } from "../api/queries/choices";
import { MetricRegistry } from "./metrics";

/** The service's definitions of metrics; empty while they load. */
export function useMetricRegistry(): MetricRegistry {
  const { data } = useQuery(metricDefinitionsQuery);
  return useMemo(() => new MetricRegistry(data), [data]);
}
