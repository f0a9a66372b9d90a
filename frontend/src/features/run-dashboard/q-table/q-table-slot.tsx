"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { algorithmsQuery } from "@/api/choices";
import { Q_TABLE } from "@/api/run-record";
import type { RunDetail } from "@/api/types";
import { withRetry } from "@/api/with-retry";

const QTableCard = dynamic(
  withRetry(() => import("./q-table-card").then((module) => module.QTableCard)),
);

/** The Q-table of a run whose algorithm writes one down; nothing for others. */
export function QTableSlot({ run }: { run: RunDetail }) {
  const { data: algorithms } = useQuery(algorithmsQuery);
  const algorithm = algorithms?.find(({ id }) => id === run.algo);
  return algorithm?.artifacts.includes(Q_TABLE) ? <QTableCard run={run} /> : null;
}
