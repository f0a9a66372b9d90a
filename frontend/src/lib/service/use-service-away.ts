"use client";

import { useStore } from "@/lib/store";
import { serviceAwaySince } from "./service-away";

/** When the service stopped answering, in milliseconds; null while it answers. */
export function useServiceAway(): number | null {
  return useStore(serviceAwaySince);
}
