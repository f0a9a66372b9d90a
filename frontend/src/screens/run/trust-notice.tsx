"use client";

import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ShieldQuestion } from "lucide-react";
import { useState } from "react";
import { explainAction, http, unwrap } from "@/api/http";
import { keys } from "@/api/keys";
import type { RunDetail, RunTrust } from "@/api/types";
import { moment } from "@/lib/format-time";
import { bytes, plural } from "@/lib/number";
import { Button } from "@/ui/button";
import { ConfirmDialog } from "@/ui/dialog";
import { Notice } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";

/** A notice that a run was imported or copied and is not used until it is trusted, with a button to trust it. */
export function TrustNotice({ run }: { run: RunDetail }) {
  const [asks, setAsks] = useState(false);
  // The app uses nothing in a run that an external program writes.
  if (run.standing !== "untrusted" || run.actor === "foreign") return null;
  return (
    <Notice tone="info" icon={ShieldQuestion} title="This run was imported or copied here">
      <p className="text-ink-soft">
        You can view everything in it. Until you trust it, the app does not use its policies and
        snapshots, and executes none of its code.
      </p>
      <Button
        size="sm"
        variant="quiet"
        className="mt-1 -ml-2"
        needsService
        onClick={() => setAsks(true)}
      >
        Trust this run…
      </Button>
      {asks && <TrustDialog run={run} onClose={() => setAsks(false)} />}
    </Notice>
  );
}

/** Explains what trusting a run means, shows its content, and trusts exactly that content. */
function TrustDialog({ run, onClose }: { run: RunDetail; onClose: () => void }) {
  const client = useQueryClient();
  const { data, error: unread } = useQuery(runTrustQuery(run.id));
  const trust = useMutation({
    mutationFn: (contentHash: string) => trustRun(run.id, contentHash),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.run(run.id) });
      onClose();
    },
    // It may have changed since it was shown: show what there is now.
    onError: () => client.invalidateQueries({ queryKey: keys.trust(run.id) }),
  });
  const error = unread ?? trust.error;
  const hash = data?.content_hash ?? null;
  return (
    <ConfirmDialog
      title={`Trust “${run.name}”?`}
      action="Trust this run"
      variant="primary"
      busy={trust.isPending || (data === undefined && unread === null)}
      failure={error && explainAction(error)}
      failureTitle="The run is not trusted"
      onConfirm={() => hash !== null && trust.mutate(hash)}
      onClose={onClose}
    >
      <p>
        Its files can contain programs. Once you trust it, they run on this machine with your rights
        whenever you evaluate, verify, resume, fork or play this run.
      </p>
      <p className="text-ink">
        Trust it only if you would run a program of the people it comes from.
      </p>
      {data === undefined ? !unread && <Skeleton className="h-24" /> : <Holdings found={data} />}
    </ConfirmDialog>
  );
}

function Holdings({ found }: { found: RunTrust }) {
  const { came_from: origin, content_hash: hash } = found;
  const facts: [string, string][] = [
    ...found.entry_points.map((one): [string, string] => ["Imports Python code", one]),
    ["Policies", plural(found.policies, "file")],
    ["Snapshots", plural(found.snapshots, "file")],
    ["Total", `${plural(found.files, "file")}, ${bytes(found.size_bytes)}`],
  ];
  if (origin) {
    facts.unshift(["Imported from", `${origin.file}, ${moment(origin.imported_at)}`]);
    if (origin.run_id !== found.run_id) facts.splice(1, 0, ["Original id", origin.run_id]);
    if (origin.left_out_count > 0) {
      facts.push(["Left out", plural(origin.left_out_count, "file")]);
    }
  }
  return (
    <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-md border border-line p-3 text-xs">
      {facts.map(([term, value]) => (
        <div key={`${term} ${value}`} className="contents">
          <dt>{term}</dt>
          <dd className="min-w-0 break-all text-ink">{value}</dd>
        </div>
      ))}
      {hash && (
        <>
          <dt>Content</dt>
          <dd className="min-w-0 font-mono break-all text-ink">{hash.slice(0, 16)}…</dd>
        </>
      )}
    </dl>
  );
}

const of = (id: string) => ({ params: { path: { run_id: id } } });

/** The origin and the content of a run. The service reads all of the run's files for the answer. */
function runTrustQuery(id: string) {
  return queryOptions({
    queryKey: keys.trust(id),
    queryFn: ({ signal }) => unwrap(http.GET("/runs/{run_id}/trust", { ...of(id), signal })),
    staleTime: 0,
    gcTime: 0,
  });
}

/** Trusts the content of the run; `contentHash` identifies the content that was shown. */
function trustRun(id: string, contentHash: string) {
  return unwrap(
    http.POST("/runs/{run_id}/trust", { ...of(id), body: { content_hash: contentHash } }),
  );
}
