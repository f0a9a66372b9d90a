"use client";

import { useStore } from "../store/use-store";
import { serviceAwaySince } from "./service-away";

/** When the service stopped responding, in milliseconds; null while it responds. */
export function useServiceAway(): number | null {
  return useStore(serviceAwaySince);
}
