"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ApiError } from "@/api/http";
import { runQuery } from "@/api/runs";
import { endSession, sessionsQuery } from "@/api/sessions";
import type { Session } from "@/api/types";
import { Button } from "@/ui/button";

interface SessionRefusalProps {
  refusal: ApiError;
  onAgain: () => void;
}

const TOO_MANY = 409;
const RETRY_MS = 5_000;

/** Why the service refused a session. If there are too many, each is listed with a button to end it. */
export function SessionRefusal({ refusal, onAgain }: SessionRefusalProps) {
  const { data: others } = useQuery({
    ...sessionsQuery,
    enabled: refusal.status === TOO_MANY,
    staleTime: 0,
  });
  const takeOver = useMutation({ mutationFn: endSession, onSettled: onAgain });
  const full = (others?.length ?? 0) > 0;
  // External system: the clock. A place may become free; every refusal starts the wait anew.
  useEffect(() => {
    if (!full) return;
    const timer = setTimeout(onAgain, RETRY_MS);
    return () => clearTimeout(timer);
  }, [full, onAgain, refusal]);
  return (
    <div role="alert" className="absolute inset-0 overflow-y-auto p-3 text-center text-sm">
      <div className="grid min-h-full place-content-center justify-items-center gap-2">
        <p className="max-w-80 rounded-md bg-raised/90 px-2.5 py-1.5 text-ink-soft shadow-card">
          {[refusal.title, refusal.detail].filter(Boolean).join(". ")}
        </p>
        {full && <p className="text-xs text-ink-soft">Tried again every five seconds.</p>}
        {others?.map((session) => (
          <Button
            key={session.id}
            size="sm"
            needsService
            busy={takeOver.isPending && takeOver.variables === session.id}
            onClick={() => takeOver.mutate(session.id)}
          >
            End <SessionName session={session} />, and play here
          </Button>
        ))}
        <Button size="sm" variant="quiet" needsService onClick={onAgain}>
          Try again
        </Button>
      </div>
    </div>
  );
}

function SessionName({ session: { run_id, env_id } }: { session: Session }) {
  const { data: run } = useQuery({ ...runQuery(run_id ?? ""), enabled: run_id !== null });
  return <span className="max-w-40 truncate">{run?.name ?? env_id}</span>;
}
