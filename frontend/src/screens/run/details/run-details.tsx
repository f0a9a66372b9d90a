"use client";

import { useQuery } from "@tanstack/react-query";
import { Download, FileText } from "lucide-react";
import { useState } from "react";
import { keys } from "@/api/keys";
import { isGuest } from "@/api/run-availability";
import { artifactLink, fetchTail } from "@/api/run-files";
import { lastRowsQuery } from "@/api/run-record";
import { isActive } from "@/api/runs";
import { runSinksQuery } from "@/api/sinks";
import type { RunDetail } from "@/api/types";
import { bytes } from "@/lib/number";
import { useQueryString } from "@/lib/query-string";
import { Badge } from "@/ui/badge";
import { Button, buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { CopyButton } from "@/ui/copy-button";
import { ErrorState } from "@/ui/notice";
import { Skeleton } from "@/ui/progress";
import { Segmented } from "@/ui/segmented";
import { Tabs } from "@/ui/tabs";
import { ReportDialog } from "../header/report-dialog";
import { RecordingPanel } from "../playback/recording-panel";
import type { RunTabProps } from "../run-body";
import { SinksPanel } from "../sinks/sinks-panel";
import { DETAILS_ANCHOR, openTab, scrollIfAwaited } from "../tabs/tab-address";
import { ConfigPanel } from "./config-panel";
import { EventLog } from "./event-log";

/** Everything about a run that is written down: its configuration, events, recordings, deliveries, logs and files. */
export function DataTab({ run }: RunTabProps) {
  const [tab, setTab] = useDetailsTab();
  const { data: delivered } = useQuery(runSinksQuery(run.id));
  const failing = delivered?.sinks.filter(({ state }) => state === "failing").length ?? 0;
  const problems = run.warnings + (run.status === "failed" ? 1 : 0);
  return (
    <Card
      id={DETAILS_ANCHOR}
      ref={scrollIfAwaited}
      label="Data"
      className="scroll-mt-28 outline-none"
      bodyClass=""
    >
      <h2 className="sr-only">Data</h2>
      <Tabs<DetailsTab>
        label="Data"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: "config", label: "Configuration", content: <ConfigPanel run={run} /> },
          {
            value: "events",
            label: "Events",
            badge: problems > 0 && <Badge tone="warn">{problems}</Badge>,
            content: <EventLog run={run} />,
          },
          ...(run.actor === "foreign"
            ? []
            : [
                {
                  value: "recording" as const,
                  label: "Recording",
                  content: <RecordingPanel run={run} />,
                },
              ]),
          {
            value: "sinks",
            label: "Integrations",
            badge: failing > 0 && <Badge tone="bad">{failing}</Badge>,
            content: <SinksPanel run={run} />,
          },
          { value: "log", label: "Logs", content: <RawLog run={run} /> },
          { value: "files", label: "Files", content: <Files run={run} /> },
        ]}
      />
    </Card>
  );
}

interface FileRow {
  path: string;
  what: string;
}

const ALWAYS: FileRow[] = [
  { path: "config.json", what: "All that is needed to repeat the run" },
  { path: "metrics.jsonl", what: "Every value that was logged, one row a line" },
  { path: "events.jsonl", what: "What happened, one event a line" },
];

/** The files of the run's folder that are of use elsewhere. */
function Files({ run }: { run: RunDetail }) {
  const [reports, setReports] = useState(false);
  const files: FileRow[] = [
    ...(run.policy_step !== null && run.status !== "paused" && !isActive(run)
      ? [{ path: "model.zip", what: "The final policy, for Stable-Baselines3's load()" }]
      : []),
    ...(run.best_policy
      ? [{ path: "best_model.zip", what: "The policy that did best in evaluations" }]
      : []),
    ...ALWAYS,
    ...(isGuest(run) ? [] : [{ path: "worker.log", what: "What the worker printed" }]),
  ];
  return (
    <ul className="divide-y divide-line px-4 py-1.5">
      <li className="flex items-center justify-between gap-4 py-1.5 text-sm">
        <span className="min-w-0">
          <span className="block text-xs font-medium">Report</span>
          <span className="block text-xs text-ink-soft">
            One HTML file to send to others: curve, film, verdict, settings
          </span>
        </span>
        <Button
          size="sm"
          variant="quiet"
          needsService
          icon={<FileText aria-hidden className="size-3.5" />}
          onClick={() => setReports(true)}
        >
          Report…
        </Button>
        {reports && <ReportDialog run={run} onClose={() => setReports(false)} />}
      </li>
      {files.map(({ path, what }) => (
        <li key={path} className="flex items-center justify-between gap-4 py-1.5 text-sm">
          <span className="min-w-0">
            <span className="block font-mono text-xs">{path}</span>
            <span className="block text-xs text-ink-soft">{what}</span>
          </span>
          <a
            href={artifactLink(run.id, path)}
            download={`${run.id}-${path}`}
            aria-label={`Download ${path}`}
            className={buttonClass("quiet", "sm")}
          >
            <Download aria-hidden className="size-3.5" />
            Download
          </a>
        </li>
      ))}
    </ul>
  );
}

type Source = "worker.log" | "metrics.jsonl";

const TAIL_BYTES = 64 * 1024;
const TAIL_ROWS = 100;
const WHILE_LIVE = 3000;

/** The end of the worker's log, where the run had a worker of ours, or of the metrics journal, unchanged. */
function RawLog({ run }: { run: RunDetail }) {
  const [source, setSource] = useState<Source>(isGuest(run) ? "metrics.jsonl" : "worker.log");
  const refetchInterval = isActive(run) ? WHILE_LIVE : (false as const);
  const log = useQuery({
    queryKey: keys.tail(run.id, "worker.log"),
    queryFn: ({ signal }) => fetchTail(run.id, "worker.log", TAIL_BYTES, signal),
    enabled: source === "worker.log",
    staleTime: 0,
    refetchInterval,
  });
  const rows = useQuery({
    ...lastRowsQuery(run.id, TAIL_ROWS),
    enabled: source === "metrics.jsonl",
    refetchInterval,
  });
  const shown = source === "worker.log" ? log : rows;
  const text =
    source === "worker.log"
      ? log.data?.text
      : rows.data?.map((row) => JSON.stringify(row)).join("\n");
  const note =
    source === "worker.log"
      ? log.data?.cut && `the last ${bytes(TAIL_BYTES)} of ${bytes(log.data.size)}`
      : `the last ${TAIL_ROWS} rows`;
  return (
    <div className="p-4">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2 text-xs text-ink-faint">
        <Segmented<Source>
          legend="Log to show"
          value={source}
          onChange={setSource}
          options={[
            ...(isGuest(run) ? [] : [{ value: "worker.log" as const, label: "worker.log" }]),
            { value: "metrics.jsonl", label: "metrics.jsonl" },
          ]}
        />
        <span className="flex items-center gap-2">
          {note}
          {text && <CopyButton text={text} label={`Copy ${source}`} />}
        </span>
      </div>
      {text === undefined ? (
        shown.error ? (
          <ErrorState error={shown.error} retry={() => void shown.refetch()} />
        ) : (
          <Skeleton className="h-40" />
        )
      ) : text === "" ? (
        <p className="py-6 text-center text-sm text-ink-soft">
          {source === "worker.log" ? "The worker has printed nothing" : "No row yet"}
        </p>
      ) : (
        <pre
          tabIndex={0}
          aria-label={source}
          className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs"
        >
          {text}
        </pre>
      )}
    </div>
  );
}

const DETAILS_TABS = ["config", "events", "recording", "sinks", "log", "files"] as const;
type DetailsTab = (typeof DETAILS_TABS)[number];

/** The open part of the data, kept in the address (`?details=log`) so that links can lead to it. */
function useDetailsTab(): [DetailsTab, (tab: DetailsTab) => void] {
  const [query] = useQueryString();
  const asked = query.get("details");
  const tab = DETAILS_TABS.find((one) => one === asked) ?? "config";
  return [tab, (next) => openTab("data", (written) => written.set("details", next))];
}
