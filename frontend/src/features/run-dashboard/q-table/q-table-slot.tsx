"use client";

import dynamic from "next/dynamic";
import type { RunDetail } from "@/lib/api";

const QTableCard = dynamic(() => import("./q-table-card").then((module) => module.QTableCard));

/** The table of a tabular learner as a picture; nothing for any other. */
export function QTableSlot({ run }: { run: RunDetail }) {
  return run.algo === "q-learning" ? <QTableCard run={run} /> : null;
}
