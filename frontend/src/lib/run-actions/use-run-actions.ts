"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { type RunActions, runActions } from "./run-actions";

/** The actions, for places that report the outcome themselves. Most places use `useRunActionsWithToasts`. */
export function useRunActions(): RunActions {
  const client = useQueryClient();
  return useMemo(() => runActions(client), [client]);
}
