"use client";

import { Monitor, Moon, Sun } from "lucide-react";
import { useStore } from "@/lib/use-store";
import { Segmented } from "@/ui/segmented";
import { setTheme, type Theme, themeStore } from "./theme";

const options = [
  { value: "light", label: "Light theme", icon: <Sun aria-hidden className="size-3.5" /> },
  { value: "system", label: "System theme", icon: <Monitor aria-hidden className="size-3.5" /> },
  { value: "dark", label: "Dark theme", icon: <Moon aria-hidden className="size-3.5" /> },
] satisfies { value: Theme; label: string; icon: React.ReactNode }[];

export function ThemeToggle() {
  const current = useStore(themeStore);
  return <Segmented legend="Theme" options={options} value={current} onChange={setTheme} />;
}
