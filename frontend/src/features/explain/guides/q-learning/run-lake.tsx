"use client";

import { useQuery } from "@tanstack/react-query";
import { qTableQuery } from "@/lib/api/queries/q-table";
import { count } from "@/lib/format";
import { RunNote } from "../../picture/run-note";
import { isTheLake } from "./lake";
import { LakeGrid } from "./lake-grid";

/** The table that a run has learned, if it trains on the same lake. */
export function RunLake({ runId }: { runId: string }) {
  const { data: file } = useQuery(qTableQuery(runId));
  if (!file?.map || !isTheLake(file.map)) return null;
  const step = count(file.step);
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <LakeGrid table={file.q} label={`The frozen lake as this run knows it at step ${step}`} />
      <figcaption>
        <RunNote>The table of this run, at step {step}.</RunNote>
      </figcaption>
    </figure>
  );
}
