"use client";

import { useQuery } from "@tanstack/react-query";
import { qTableQuery } from "@/api/run-record";
import { runQuery } from "@/api/runs";
import { count } from "@/lib/number";
import { RunNote } from "../../picture/run-note";
import { isTheLake } from "./lake";
import { LakeGrid } from "./lake-grid";

/** The table that a run has learned, if it trains on the same lake. */
export function RunLake({ runId }: { runId: string }) {
  const { data: file } = useQuery(qTableQuery(runId));
  const { data: run } = useQuery(runQuery(runId));
  if (!file?.map || !isTheLake(file.map)) return null;
  const step = count(file.step);
  const isSlippery = run?.env_options?.is_slippery !== false;
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <LakeGrid table={file.q} label={`The frozen lake as this run knows it at step ${step}`} />
      <figcaption className="text-center">
        <RunNote>
          The table of this run, at step {step}
          {run && `, on ${isSlippery ? "slippery ice" : "ice that is not slippery"}`}.
        </RunNote>
      </figcaption>
    </figure>
  );
}
