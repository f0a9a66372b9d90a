import { Keyboard, Monitor, Moon, Plus, Settings, Sun } from "lucide-react";
import { routes } from "@/lib/url";
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

export function pageEntries(go: (href: string) => void): PaletteEntry[] {
  return allPages.map(({ href, label, icon, keys, words }) => ({
    id: `page ${href}`,
    group: GO_TO,
    icon,
    name: label,
    words: ["go to", ...words],
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
