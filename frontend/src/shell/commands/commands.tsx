"use client";

import { useRouter } from "next/navigation";
import { lazy, Suspense, useEffect, useState } from "react";
import { withRetry } from "@/api/with-retry";
import { routes } from "@/lib/routes";
import { useStore } from "@/lib/use-store";
import { overlayStore, showOverlay, typeAhead } from "./overlay";
import { isTaken, readPress, type ShellCommand } from "./shortcut";

const loadPalette = withRetry(() => import("./palette"));
const Palette = lazy(() => loadPalette().then((m) => ({ default: m.Palette })));
const ShortcutSheet = lazy(
  withRetry(() => import("./shortcut-sheet").then((m) => ({ default: m.ShortcutSheet }))),
);

const PagesSheet = lazy(
  withRetry(() => import("./pages-sheet").then((m) => ({ default: m.PagesSheet }))),
);

const addresses: Partial<Record<ShellCommand, string>> = {
  home: routes.home,
  compare: routes.compare,
  explain: routes.explain,
  play: routes.play,
  experiments: routes.experiments,
  analyse: routes.analyse,
  storage: routes.storage,
  trash: routes.trash,
  settings: routes.settings,
  new: routes.newRun,
};

/** Listens for global shortcuts and shows the palette and the shortcut sheet, which are loaded on first use. */
export function Commands() {
  const router = useRouter();
  const overlay = useStore(overlayStore);
  const [used, setUsed] = useState(false);
  if (overlay !== null && !used) setUsed(true);

  // External system: keyboard events of the document.
  useEffect(() => {
    let goSince: number | null = null;
    const handle = (command: ShellCommand) => {
      const address = addresses[command];
      if (address) return router.push(address);
      const wanted = command === "palette" ? "palette" : "shortcuts";
      showOverlay(overlayStore.get() === wanted ? null : wanted);
    };
    const onKeyDown = (event: KeyboardEvent) => {
      // The palette starts loading with the modifier key, before K is pressed.
      if (event.key === "Control" || event.key === "Meta") void loadPalette();
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      const reading = readPress(
        {
          key: event.key,
          mod: event.ctrlKey || event.metaKey,
          alt: event.altKey,
          taken: isTaken(event.target),
          at: event.timeStamp,
        },
        goSince,
      );
      if (overlayStore.get() === "palette" && !reading.command && !isTaken(event.target)) {
        return event.ctrlKey || event.metaKey ? undefined : typeAhead(event.key);
      }
      if (event.key !== "Shift") goSince = reading.goSince;
      if (!reading.command) return;
      event.preventDefault();
      handle(reading.command);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [router]);

  if (!used) return null;
  const close = () => showOverlay(null);
  return (
    <Suspense>
      {overlay === "palette" && <Palette onClose={close} />}
      {overlay === "shortcuts" && <ShortcutSheet onClose={close} />}
      {overlay === "pages" && <PagesSheet onClose={close} />}
    </Suspense>
  );
}
