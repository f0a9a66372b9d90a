"use client";

import { useQuery } from "@tanstack/react-query";
import { BookOpen, Gamepad2, Mountain } from "lucide-react";
import { algorithmsQuery, environmentsQuery } from "@/api/choices";
import { learns } from "@/api/run-availability";
import { routes } from "@/lib/routes";
import type { PaletteEntry } from "./palette-item";

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
      detail: "How it works, its settings, how it goes wrong",
      onSelect: () => go(routes.guide(id)),
    })),
  ];
}
