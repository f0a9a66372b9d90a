"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { runQuery } from "@/api/runs";
import { routes } from "@/lib/routes";
import { playSession } from "@/player/session/watch-session";
import { PageHeader } from "@/shell/page-header";
import { buttonClass } from "@/ui/button";
import { ErrorState } from "@/ui/notice";
import { PlayRoom } from "./play-room";

/** The environment of a run, played by hand and by its policy in turns. */
export function PlayRun({ id }: { id: string }) {
  const [client] = useState(() => playSession({ run_id: id }));
  const { data: run, error, refetch } = useQuery(runQuery(id));
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  return (
    <>
      <PageHeader title="Take the controls">
        Play beside the policy of {run?.name ?? id}, on the same episodes.
      </PageHeader>
      <PlayRoom
        client={client}
        envId={run?.env_id ?? null}
        label={run?.env_id ?? id}
        aside={
          <Link href={routes.run(id)} className={buttonClass()}>
            To the run
          </Link>
        }
      />
    </>
  );
}
