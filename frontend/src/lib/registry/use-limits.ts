"use client";

import { useQuery } from "@tanstack/react-query";
import { limitsQuery } from "../api/queries/choices";
import type { Limits } from "../api/types";

/** The limits that the service enforces; undefined while they load. */
export function useLimits(): Limits | undefined {
  return useQuery(limitsQuery).data;
}
