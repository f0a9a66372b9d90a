"use client";
import type { Run } from "@/lib/api";
export function QTableCard({ run }: { run: Run }) {
  return <p>{run.id}</p>;
}
