"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { BookOpen, Clapperboard, Copy, GitCompareArrows, Square } from "lucide-react";
import { toast } from "@/components/ui/toast";
import { evaluate, explainAction, keys, runQuery, stopRun } from "@/lib/api";
import { routes } from "@/lib/url";
import { PaletteGroup, PaletteItem } from "./palette-item";

const EPISODES = 5;

interface PaletteRunActionsProps {
  id: string;
  go: (href: string) => void;
  close: () => void;
}

/** What can be done with the run on the page. */
export function PaletteRunActions({ id, go, close }: PaletteRunActionsProps) {
  const client = useQueryClient();
  const { data: run } = useQuery(runQuery(id));
  if (!run) return null;

  const ask = async (action: () => Promise<unknown>, done: string) => {
    close();
    try {
      await action();
      toast({ title: done, tone: "good" });
    } catch (cause) {
      toast({ title: explainAction(cause as Error), tone: "bad" });
    } finally {
      void client.invalidateQueries({ queryKey: keys.run(id) });
    }
  };
  const stoppable = run.status === "running" || run.status === "queued";
  return (
    <PaletteGroup heading={run.name}>
      {stoppable && (
        <PaletteItem
          value="stop this run"
          icon={Square}
          onSelect={() => void ask(() => stopRun(id), "The run is stopping")}
        >
          Stop this run
        </PaletteItem>
      )}
      {(run.policy_step !== null || run.status === "running") && (
        <PaletteItem
          value="evaluate this run"
          icon={Clapperboard}
          keywords={["video", "playback", "watch"]}
          onSelect={() =>
            void ask(() => evaluate(id, { episodes: EPISODES }), "The evaluation is under way")
          }
        >
          Evaluate this run over {EPISODES} episodes
        </PaletteItem>
      )}
      <PaletteItem
        value="explain this run"
        icon={BookOpen}
        keywords={["hints", "help", "why"]}
        onSelect={() => go(routes.explainRun(id))}
      >
        Explain this run
      </PaletteItem>
      <PaletteItem
        value="compare this run"
        icon={GitCompareArrows}
        onSelect={() => go(routes.compareRuns([id]))}
      >
        Compare this run with…
      </PaletteItem>
      <PaletteItem
        value="duplicate this run"
        icon={Copy}
        keywords={["again", "clone", "new"]}
        onSelect={() => go(routes.duplicate(id))}
      >
        Duplicate this run
      </PaletteItem>
    </PaletteGroup>
  );
}
