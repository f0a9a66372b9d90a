"use client";

import clsx from "clsx";
import { Monitor, Moon, Sun } from "lucide-react";
import { useSyncExternalStore } from "react";
import { getTheme, setTheme, subscribeTheme, THEMES, type Theme } from "./theme";

const looks: Record<Theme, { label: string; Icon: typeof Sun }> = {
  light: { label: "Light theme", Icon: Sun },
  system: { label: "System theme", Icon: Monitor },
  dark: { label: "Dark theme", Icon: Moon },
};

export function ThemeToggle() {
  const current = useSyncExternalStore(subscribeTheme, getTheme, () => null);
  return (
    <fieldset className="flex rounded-md border border-line bg-sunken p-0.5">
      <legend className="sr-only">Theme</legend>
      {THEMES.map((theme) => {
        const { label, Icon } = looks[theme];
        return (
          <label
            key={theme}
            title={label}
            className={clsx(
              "grid size-6 place-items-center rounded-sm transition-colors max-md:size-8",
              "has-focus-visible:outline-2 has-focus-visible:outline-accent",
              theme === current
                ? "bg-raised text-ink shadow-card ring-1 ring-line"
                : "text-ink-faint hover:text-ink",
            )}
          >
            <input
              type="radio"
              name="theme"
              className="sr-only"
              aria-label={label}
              checked={theme === current}
              onChange={() => setTheme(theme)}
            />
            <Icon aria-hidden className="size-3.5" />
          </label>
        );
      })}
    </fieldset>
  );
}
