"use client";

import clsx from "clsx";
import { lazy, Suspense, useState } from "react";
import { useAlgorithm, useEnvironment } from "@/api/choices";
import { Q_TABLE } from "@/api/run-record";
import { withRetry } from "@/api/with-retry";
import { Card } from "@/ui/card";
import { Disclosure } from "@/ui/disclosure";
import { Skeleton } from "@/ui/progress";
import { AnatomyPanel } from "../anatomy/anatomy-panel";
import type { RunTabProps } from "../run-body";
import { ForkAt } from "../snapshots/fork-at";

const QTableCard = lazy(
  withRetry(async () => ({ default: (await import("../q-table/q-table-card")).QTableCard })),
);
const MapCard = lazy(
  withRetry(async () => ({ default: (await import("../map/map-card")).MapCard })),
);
const MomentView = lazy(
  withRetry(async () => ({ default: (await import("../film/moment-view")).MomentView })),
);

/** Details of training: updates and weights, the values of a policy, and its saliency. */
export function InsideTab({ run, charts }: RunTabProps) {
  const algorithm = useAlgorithm(run.algo);
  const hasTable = algorithm?.artifacts.includes(Q_TABLE) ?? false;
  const hasMap = useEnvironment(run.env_id)?.world != null;
  return (
    <div className="flex flex-col gap-4">
      <div
        className={clsx(
          "grid items-start gap-4",
          (hasTable || hasMap) && "lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]",
        )}
      >
        <Card title="Inside the updates">
          <AnatomyPanel run={run} />
        </Card>
        {(hasTable || hasMap) && (
          <div className="flex min-w-0 flex-col gap-4">
            {hasMap && (
              <Suspense fallback={<Skeleton className="h-96 rounded-lg" />}>
                <MapCard run={run} group={charts.group} />
              </Suspense>
            )}
            {hasTable && (
              <Suspense fallback={<Skeleton className="h-96 rounded-lg" />}>
                <QTableCard run={run} />
              </Suspense>
            )}
          </div>
        )}
      </div>
      <PolicySection run={run} charts={charts} />
    </div>
  );
}

/** A policy of the run as it plays, with its output, a value slice, and saliency. */
function PolicySection({ run, charts }: RunTabProps) {
  const [open, setOpen] = useState(false);
  return (
    <Disclosure
      open={open}
      onToggle={setOpen}
      summary="Values and saliency of a policy"
      className="rounded-lg border border-line bg-surface px-4 py-1.5 shadow-card"
    >
      {open && (
        <section aria-label="Policy" className="@container -mx-4 pt-1">
          <Suspense fallback={<Skeleton className="m-4 h-80" />}>
            <MomentView run={run} group={charts.group} onLeave={() => {}} Fork={ForkAt} />
          </Suspense>
        </section>
      )}
    </Disclosure>
  );
}
