"use client";

import { useQuery } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { learns } from "@/api/run-availability";
import { runSinksQuery } from "@/api/sinks";
import type { RunDetail } from "@/api/types";
import { Badge } from "@/ui/badge";
import { Card } from "@/ui/card";
import { Tabs } from "@/ui/tabs";
import { ConfigPanel } from "./config-panel";
import { EventLog } from "./events/event-log";
import { Files } from "./files";
import { RawLog } from "./raw-log";
import { DETAILS_ANCHOR, type DetailsTab, useDetailsTab } from "./use-details-tab";

interface RunDetailsProps {
  run: RunDetail;
  Snapshots: ComponentType<{ run: RunDetail }>;
  Rules: ComponentType<{ run: RunDetail }>;
  Sinks: ComponentType<{ run: RunDetail }>;
  Recording: ComponentType<{ run: RunDetail }>;
}

/** Everything about a run other than its curves. */
export function RunDetails({ run, Snapshots, Rules, Sinks, Recording }: RunDetailsProps) {
  const [tab, setTab] = useDetailsTab();
  const { data: delivered } = useQuery(runSinksQuery(run.id));
  const failing = delivered?.sinks.filter(({ state }) => state === "failing").length ?? 0;
  const problems = run.warnings + (run.status === "failed" ? 1 : 0);
  return (
    <Card id={DETAILS_ANCHOR} label="Details" className="scroll-mt-18" bodyClass="">
      <Tabs<DetailsTab>
        label="Details"
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
          ...(learns(run)
            ? [
                {
                  value: "snapshots" as const,
                  label: "Snapshots",
                  content: <Snapshots run={run} />,
                },
                { value: "rules" as const, label: "Rules", content: <Rules run={run} /> },
              ]
            : []),
          ...(run.actor === "foreign"
            ? []
            : [
                {
                  value: "recording" as const,
                  label: "Recording",
                  content: <Recording run={run} />,
                },
              ]),
          {
            value: "sinks",
            label: "Sinks",
            badge: failing > 0 && <Badge tone="bad">{failing}</Badge>,
            content: <Sinks run={run} />,
          },
          { value: "log", label: "Raw log", content: <RawLog run={run} /> },
          { value: "files", label: "Files", content: <Files run={run} /> },
        ]}
      />
    </Card>
  );
}
