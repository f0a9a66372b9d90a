import { Download } from "lucide-react";
import { isGuest } from "@/api/run-availability";
import { artifactLink } from "@/api/run-files";
import { isActive } from "@/api/runs";
import type { RunDetail } from "@/api/types";
import { buttonClass } from "@/ui/button";

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
export function Files({ run }: { run: RunDetail }) {
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
