"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { runActionsWithToasts } from "./run-actions-with-toasts";

/** See `runActionsWithToasts`. */
export function useRunActionsWithToasts(go: (href: string) => void) {
  const client = useQueryClient();
  return useMemo(() => runActionsWithToasts(client, go), [client, go]);
}
