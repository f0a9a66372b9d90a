"use client";

import { useQuery } from "@tanstack/react-query";
import { knobsQuery } from "@/api/rules";
import type { RunDetail } from "@/api/types";
import type { RunSeries } from "@/stream/series/run-series";
import { Card } from "@/ui/card";
import { KnobForm } from "./knob-form";

/** No event of the stream tells that a change was made; one that was asked for is looked for more often. */
const WHILE_WAITING = 1000;
const WHILE_LIVE = 5000;

interface KnobsCardProps {
  run: RunDetail;
  series: RunSeries;
}

/** The hyperparameters that can be adjusted while the run trains; nothing where there is none. */
export function KnobsCard({ run, series }: KnobsCardProps) {
  const { data } = useQuery({
    ...knobsQuery(run.id),
    refetchInterval: ({ state }) =>
      state.data?.knobs.some(({ waiting }) => waiting.length > 0) ? WHILE_WAITING : WHILE_LIVE,
  });
  if (!data || data.knobs.length === 0) return null;
  return (
    <Card title="Adjust while it trains" bodyClass="divide-y divide-line">
      {data.knobs.map((knob) => (
        <KnobForm key={knob.name} run={run.id} knob={knob} series={series} />
      ))}
    </Card>
  );
}
