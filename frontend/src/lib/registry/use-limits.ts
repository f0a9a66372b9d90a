"use client";

import { useQuery } from "@tanstack/react-query";
import { type Limits, limitsQuery } from "@/lib/api";

/** The limits that the service enforces; undefined while they load. */
export function useLimits(): Limits | undefined {
  return useQuery(limitsQuery).data;
}
