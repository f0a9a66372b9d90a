"use client";

import { useMutation } from "@tanstack/react-query";
import { Wrench } from "lucide-react";
import { explainAction } from "@/api/http";
import { useRunActions } from "@/api/run-actions";
import { isActive } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { count, plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { Notice } from "@/ui/notice";

/** What of the run's folder cannot be read, or that a newer version wrote it; what can be done, and a button that does
 * what a machine can. */
export function DamageNotice({ run }: { run: RunDetail }) {
  const { repair } = useRunActions();
  const asked = useMutation({ mutationFn: () => repair(run.id) });
  if (run.damage.length === 0) return null;
  const isNewer = run.damage.every(({ newer }) => newer);
  return (
    <Notice
      tone={isNewer ? "info" : "warn"}
      role="alert"
      title={
        isNewer
          ? "A newer version wrote this run"
          : `${plural(run.damage.length, "part")} of this run's folder cannot be read`
      }
    >
      <ul className="mt-1 flex flex-col gap-1 text-ink-soft">
        {run.damage.map(({ file, line, problem, remedy }) => (
          <li key={`${file} ${line}`} className="break-words">
            <code className="font-mono text-xs text-ink">
              {file}
              {line != null && `, line ${count(line)}`}
            </code>
            : {problem} {remedy}
          </li>
        ))}
      </ul>
      {asked.error && (
        <p role="alert" className="mt-1 text-bad">
          {explainAction(asked.error)}
        </p>
      )}
      {!isNewer && (
        <Button
          size="sm"
          variant="quiet"
          needsService
          className="mt-1 -ml-2"
          busy={asked.isPending}
          disabled={isActive(run)}
          onClick={() => asked.mutate()}
          icon={<Wrench aria-hidden className="size-3.5" />}
        >
          {isActive(run) ? "Repair (stop it first)" : "Repair: keep what can be read"}
        </Button>
      )}
    </Notice>
  );
}
