"use client";

import { useQuery } from "@tanstack/react-query";
import { type Limits, limitsQuery } from "@/lib/api";

/** The limits that the service enforces; undefined until they are known. */
export function useLimits(): Limits | undefined {
  return useQuery(limitsQuery).data;
}
