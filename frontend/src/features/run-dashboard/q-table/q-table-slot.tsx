"use client";

import dynamic from "next/dynamic";
import type { RunDetail } from "@/lib/api";
import { patiently } from "@/lib/service";

const QTableCard = dynamic(
  patiently(() => import("./q-table-card").then((module) => module.QTableCard)),
);

/** The Q-table of a run with a tabular algorithm; nothing for others. */
export function QTableSlot({ run }: { run: RunDetail }) {
  return run.algo === "q-learning" ? <QTableCard run={run} /> : null;
}
