"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  Activity,
  BookOpen,
  Clapperboard,
  Copy,
  Gamepad2,
  GitCompareArrows,
  Mountain,
  Pause,
  Play,
  Square,
  Trash2,
} from "lucide-react";
import { usePathname, useSearchParams } from "next/navigation";
import { createElement } from "react";
import { algorithmsQuery, environmentsQuery, useAlgorithmName } from "@/api/choices";
import { usualPolicy } from "@/api/evaluate";
import { canDo, learns, type RunAction, whyNot } from "@/api/run-availability";
import { runQuery, runSearchQuery } from "@/api/runs";
import { isRunId, routes } from "@/lib/routes";
import { SERVICE_AWAY, useServiceAway } from "@/lib/service";
import { StatusBadge } from "@/ui/badge";
import { useRunActionsWithToasts } from "@/ui/use-run-actions-with-toasts";
import type { PaletteEntry } from "./palette";

/** Entries for the actions on the run whose page is open. */
export function useCurrentRunEntries(go: (href: string) => void, close: () => void) {
  const id = useCurrentRun();
  const { data: run } = useQuery({ ...runQuery(id ?? ""), enabled: id !== null });
  const actions = useRunActionsWithToasts(go);
  const away = useServiceAway() === null ? null : SERVICE_AWAY;
  if (!run) return [];

  const act = (does: () => Promise<unknown>) => () => {
    close();
    void does();
  };
  const entry = (
    action: RunAction,
    rest: Pick<PaletteEntry, "name" | "icon" | "words" | "onSelect">,
  ): PaletteEntry => ({ id: `this run ${action}`, group: run.name, reason: away, ...rest });
  const entries: (PaletteEntry | false)[] = [
    canDo("start", run) &&
      entry("start", {
        name: "Start this run",
        icon: Play,
        words: ["train"],
        onSelect: act(() => actions.start(run)),
      }),
    canDo("pause", run) &&
      entry("pause", {
        name: "Pause this run",
        icon: Pause,
        words: ["hold", "snapshot"],
        onSelect: act(() => actions.pause(run)),
      }),
    canDo("resume", run) &&
      entry("resume", {
        name: "Resume this run",
        icon: Play,
        words: ["continue", "go on", "train"],
        onSelect: act(() => actions.resume(run)),
      }),
    canDo("stop", run) &&
      entry("stop", {
        name: "Stop this run",
        icon: Square,
        words: ["end", "save"],
        onSelect: act(() => actions.stop(run)),
      }),
    canDo("evaluate", run) &&
      entry("evaluate", {
        name: "Evaluate this run",
        icon: Clapperboard,
        words: ["video", "playback", "watch"],
        onSelect: act(() => actions.evaluate(run, { policy: usualPolicy(run) })),
      }),
    learns(run) && {
      id: "this run play",
      group: run.name,
      name: "Take the controls of this run",
      icon: Gamepad2,
      words: ["play", "game", "keyboard", "human"],
      onSelect: () => go(routes.playRun(run.id)),
    },
    learns(run) && {
      id: "this run explain",
      group: run.name,
      name: "Explain this run",
      icon: BookOpen,
      words: ["hints", "help", "why"],
      onSelect: () => go(routes.explainRun(run.id)),
    },
    {
      ...entry("compare", {
        name: "Compare this run with…",
        icon: GitCompareArrows,
        onSelect: () => actions.compare([run.id]),
      }),
      reason: null,
    },
    entry("duplicate", {
      name: "Duplicate this run",
      icon: Copy,
      words: ["again", "clone", "new"],
      onSelect: () => actions.duplicate(run),
    }),
    {
      ...entry("delete", {
        name: "Delete this run",
        icon: Trash2,
        words: ["remove", "trash"],
        onSelect: act(async () => {
          if ((await actions.remove([run])).length > 0) go(routes.home);
        }),
      }),
      reason: whyNot("delete", run) ?? away,
    },
  ];
  return entries.filter((each) => each !== false);
}

function useCurrentRun(): string | null {
  const path = usePathname();
  const id = useSearchParams().get("id") ?? "";
  return path.startsWith("/runs/view") && isRunId(id) ? id : null;
}

export const NEW_RUN_ON = "New run on";
export const PLAY = "Play yourself";
export const GUIDES = "Guides";

/** Entries for each environment (train on it, play it) and for each algorithm's guide. */
export function useChoiceEntries(go: (href: string) => void): PaletteEntry[] {
  const environments = useQuery(environmentsQuery).data ?? [];
  const algorithms = useQuery(algorithmsQuery).data ?? [];
  return [
    ...environments.map(({ id, name, summary, family_title, available, install_hint }) => ({
      id: `environment ${id}`,
      group: NEW_RUN_ON,
      icon: Mountain,
      name: id,
      words: [name, summary, family_title, "new run", "train", "environment"],
      detail: summary,
      reason: available ? null : (install_hint ?? "Its package is not installed"),
      onSelect: () => go(routes.newRunOn(id)),
    })),
    ...environments.map(({ id, name, summary, available, install_hint }) => ({
      id: `play ${id}`,
      group: PLAY,
      icon: Gamepad2,
      name: id,
      words: [name, "play", "game", "keyboard", "human"],
      detail: summary,
      reason: available ? null : (install_hint ?? "Its package is not installed"),
      onSelect: () => go(routes.playOn(id)),
    })),
    ...algorithms.filter(learns).map(({ id, name }) => ({
      id: `guide ${id}`,
      group: GUIDES,
      icon: BookOpen,
      name,
      words: ["explain", "guide", "algorithm", "help", "hyperparameters"],
      detail: "How it works, its settings, and how training can fail",
      onSelect: () => go(routes.guide(id)),
    })),
  ];
}

const RECENT = 4;
const FOUND = 8;

/** Entries for runs: the search results for `searched`, or the newest runs while nothing is typed. */
export function useRunEntries(
  typed: string,
  searched: string,
  go: (href: string) => void,
): { entries: PaletteEntry[]; error: Error | null } {
  const { data, error } = useQuery({
    ...runSearchQuery(searched, FOUND),
    placeholderData: keepPreviousData,
  });
  const algorithmName = useAlgorithmName();
  const searching = typed.trim() !== "";
  const entries = (data?.runs ?? []).slice(0, searching ? FOUND : RECENT).map((run) => ({
    id: `run ${run.id}`,
    group: searching ? "Runs" : "Recent runs",
    icon: Activity,
    name: run.name,
    // The service found it, possibly by its tags or notes, so it counts as a match for the text.
    words: [typed],
    detail: `${algorithmName(run.algo)} · ${run.env_id}`,
    aside: createElement(StatusBadge, { status: run.status }),
    onSelect: () => go(routes.run(run.id)),
  }));
  return { entries, error };
}
