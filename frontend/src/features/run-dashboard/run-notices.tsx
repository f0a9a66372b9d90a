import { CopyButton } from "@/components/ui/copy-button";
import { Disclosure } from "@/components/ui/disclosure";
import { Notice } from "@/components/ui/notice";
import type { RunDetail } from "@/lib/api";
import { plural } from "@/lib/format";

/** What a reader must know before the figures: why it ended, what it waits for, what it warned of. */
export function RunNotices({ run }: { run: RunDetail }) {
  const broken = run.status === "failed" || run.status === "interrupted";
  return (
    <>
      {broken && (
        <Notice tone="bad" role="alert" title={run.cause ?? `The run was ${run.status}.`}>
          {run.traceback && <Traceback text={run.traceback} />}
        </Notice>
      )}
      {run.ended_early && (
        <Notice tone="info" role="status" title="Ended before its budget">
          <p className="break-words text-ink-soft">{run.ended_early}</p>
        </Notice>
      )}
      {run.status === "queued" && <QueueNotice position={run.queue_position} cause={run.cause} />}
      {run.warnings > 0 && (
        <Notice tone="warn" title={plural(run.warnings, "warning")}>
          {run.last_warning && <p className="break-words text-ink-soft">{run.last_warning}</p>}
        </Notice>
      )}
    </>
  );
}

/** `cause`: what it waits for besides a free slot. */
function QueueNotice({ position, cause }: { position: number | null; cause: string | null }) {
  const place =
    position === null ? "Waiting for a free training slot" : `Number ${position} in the queue`;
  return (
    <Notice tone={cause ? "warn" : "info"} role="status" title={place}>
      <p className="break-words text-ink-soft">
        {cause
          ? `It starts by itself as soon as there is room on the disk. ${cause}`
          : "It starts by itself as soon as a running one ends."}
      </p>
    </Notice>
  );
}

function Traceback({ text }: { text: string }) {
  return (
    <div className="relative mt-1">
      <Disclosure summary="Traceback">
        <pre
          tabIndex={0}
          className="mt-1 max-h-72 overflow-auto rounded-md border border-line bg-surface p-3 font-mono text-xs"
        >
          {text}
        </pre>
      </Disclosure>
      <div className="absolute top-0.5 right-0">
        <CopyButton text={text} label="Copy traceback" />
      </div>
    </div>
  );
}
