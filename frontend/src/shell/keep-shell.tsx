"use client";

import { useEffect } from "react";
import { apiBase } from "@/api/http";
import { SERVICE_AWAY } from "@/lib/service";
import { toast } from "@/ui/toast";

/** The part of the browser's Navigation API that is used here, because TypeScript does not know it everywhere. */
interface NavigateEvent extends Event {
  destination: { url: string; sameDocument: boolean };
  navigationType: "push" | "replace" | "reload" | "traverse";
  downloadRequest: string | null;
}

/**
 * Keeps the page when another one cannot be loaded because the service does not answer. Otherwise the router would load
 * the address itself, and the browser would show an error page.
 */
export function KeepShell() {
  // External system: navigation of the browser.
  useEffect(() => {
    const { navigation } = window as { navigation?: EventTarget };
    if (!navigation) return;
    let allowed: string | null = null;
    const onNavigate = (event: Event) => {
      const { destination, navigationType, downloadRequest } = event as NavigateEvent;
      const { url, sameDocument } = destination;
      const isOurs =
        new URL(url).origin === window.location.origin && !url.startsWith(absolute(apiBase));
      const leaves = !sameDocument && (navigationType === "push" || navigationType === "replace");
      if (!event.cancelable || !isOurs || !leaves || downloadRequest !== null || url === allowed) {
        return;
      }
      event.preventDefault();
      void answers().then((does) => {
        if (!does) {
          return toast({
            tone: "bad",
            title: SERVICE_AWAY,
            description: "The page cannot be opened now. Try again when the service is back.",
            cause: "service",
          });
        }
        allowed = url;
        if (navigationType === "replace") window.location.replace(url);
        else window.location.assign(url);
      });
    };
    navigation.addEventListener("navigate", onNavigate);
    return () => navigation.removeEventListener("navigate", onNavigate);
  }, []);
  return null;
}

async function answers(): Promise<boolean> {
  try {
    await fetch(`${apiBase}/health`, { cache: "no-store" });
    return true;
  } catch {
    return false;
  }
}

function absolute(address: string): string {
  return new URL(address, window.location.href).href;
}
