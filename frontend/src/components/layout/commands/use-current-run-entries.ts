"use client";

import { useQuery } from "@tanstack/react-query";
import {
  BookOpen,
  Clapperboard,
  Copy,
  Gamepad2,
  GitCompareArrows,
  Pause,
  Play,
  Square,
  Trash2,
} from "lucide-react";
import { usePathname, useSearchParams } from "next/navigation";
import { usualPolicy } from "@/api/evaluate";
import { canDo, learns, type RunAction, whyNot } from "@/api/run-availability";
import { runQuery } from "@/api/runs";
import { isRunId, routes } from "@/lib/routes";
import { SERVICE_AWAY, useServiceAway } from "@/lib/service";
import { useRunActionsWithToasts } from "@/ui/use-run-actions-with-toasts";
import type { PaletteEntry } from "./palette-item";

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
