import { Keyboard, Monitor, Moon, Plus, Settings, Sun } from "lucide-react";
import { routes } from "@/lib/routes";
import { allPages } from "../navigation";
import { setTheme } from "../theme/theme";
import { showOverlay } from "./overlay";
import type { PaletteEntry } from "./palette-item";

const themes = [
  { theme: "light", icon: Sun },
  { theme: "dark", icon: Moon },
  { theme: "system", icon: Monitor },
] as const;

const GO_TO = "Go to";
const DO = "Do";

/** Further words by which a page is found. */
const PAGE_WORDS: Record<string, readonly string[]> = {
  [routes.home]: ["home", "list"],
  [routes.compare]: ["side by side"],
  [routes.experiments]: [
    "seeds",
    "variants",
    "sweep",
    "search hyperparameters",
    "compare algorithms",
  ],
  [routes.analyse]: ["analytics", "group", "pivot", "scatter", "box plot", "sql", "query"],
  [routes.explain]: ["guides", "algorithms", "help", "hints"],
  [routes.play]: ["game", "keyboard", "human", "by hand"],
  [routes.storage]: ["disk", "space", "quota", "prune", "free room", "rules"],
  [routes.trash]: ["deleted runs", "restore", "undo"],
};

export function pageEntries(go: (href: string) => void): PaletteEntry[] {
  return allPages.map(({ href, label, icon, keys }) => ({
    id: `page ${href}`,
    group: GO_TO,
    icon,
    name: label,
    words: ["go to", ...(PAGE_WORDS[href] ?? [])],
    shortcut: keys,
    onSelect: () => go(href),
  }));
}

export function commandEntries(go: (href: string) => void, close: () => void): PaletteEntry[] {
  return [
    {
      id: "new run",
      group: DO,
      icon: Plus,
      name: "New run",
      words: ["create", "train", "start"],
      shortcut: "N",
      onSelect: () => go(routes.newRun),
    },
    ...themes.map(({ theme, icon }) => ({
      id: `${theme} theme`,
      group: DO,
      icon,
      name: `Switch to the ${theme} theme`,
      words: ["colour", "mode", "appearance", "settings"],
      onSelect: () => {
        setTheme(theme);
        close();
      },
    })),
    {
      id: "settings",
      group: DO,
      icon: Settings,
      name: "Settings",
      words: ["about", "service", "version", "preferences", "options", "theme", "disk", "slots"],
      onSelect: () => showOverlay("settings"),
    },
    {
      id: "shortcuts",
      group: DO,
      icon: Keyboard,
      name: "Keyboard shortcuts",
      words: ["help", "keys"],
      shortcut: "?",
      onSelect: () => showOverlay("shortcuts"),
    },
  ];
}
