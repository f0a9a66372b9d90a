"use client";

import { useRouter } from "next/navigation";
import type { Run, RunGroup } from "@/api/types";
import { routes } from "@/lib/routes";
import { JudgedEpisodes, type JudgedRun } from "@/player/judged";
import { Card } from "@/ui/card";
import type { SeriesStyles } from "./series-styles";
import { Swatch } from "./swatch";

interface EpisodesCardProps {
  runs: readonly Run[];
  environments: readonly RunGroup[];
  seriesStyles: SeriesStyles;
}

/** How the episodes of the compared runs end, and a search over all of them. Watching one leads to its run. */
export function EpisodesCard({ runs, environments, seriesStyles }: EpisodesCardProps) {
  const router = useRouter();
  const judged: JudgedRun[] = runs.map(({ id, name }) => ({
    ...{ id, name },
    mark: <Swatch seriesStyle={seriesStyles.get(id)} />,
  }));
  return (
    <Card title="Episodes" bodyClass="px-4 pt-1 pb-3">
      <JudgedEpisodes
        runs={judged}
        environments={environments.map(({ title, run_ids }) => ({
          title,
          runs: judged.filter(({ id }) => run_ids.includes(id)),
        }))}
        onWatch={({ run, evaluation, frame }) =>
          router.push(routes.runEvaluation(run, evaluation, frame))
        }
      />
    </Card>
  );
}
