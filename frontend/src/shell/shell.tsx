"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { Ellipsis, Keyboard, Plus, Search, Unplug } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { type ReactNode, useEffect } from "react";
import { healthQuery } from "@/api/choices";
import { withRetry } from "@/api/with-retry";
import { clockTime } from "@/lib/format-time";
import { bytes } from "@/lib/number";
import { routes } from "@/lib/routes";
import { useServiceAway } from "@/lib/service";
import type { ConnectionState } from "@/stream/events";
import { useConnectionState, useEventStream } from "@/stream/provider";
import { buttonClass, Kbd } from "@/ui/button";
import { HoverLink } from "@/ui/hover-link";
import { LAYER_ID } from "@/ui/layer";
import { dismissForRun, dismissForService, Toaster } from "@/ui/toast";
import { Commands } from "./commands/commands";
import { showOverlay, useModKey } from "./commands/overlay";
import { KeepShell } from "./keep-shell";
import { allPages, type Destination, lowerPages, pages } from "./navigation";
import { StorageBar } from "./storage-bar";
import { ThemeToggle } from "./theme-toggle";

export function Shell({ children }: { children: ReactNode }) {
  return (
    <>
      <a
        href="#content"
        className="sr-only z-toast rounded-md bg-accent text-sm font-medium text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-bar">
        <div className="flex h-13 items-center justify-between gap-3 border-b border-line bg-surface px-4">
          <Logo />
          <SearchButton />
          <div className="flex shrink-0 items-center gap-3 sm:gap-4">
            <Connection />
            <ThemeToggle />
          </div>
        </div>
        <ServiceAwayBar />
        <StorageBar />
      </header>
      <div className="flex min-h-[calc(100dvh-3.25rem)]">
        <Sidebar />
        <main
          id="content"
          tabIndex={-1}
          className="mx-auto w-full max-w-[84rem] min-w-0 grow px-4 py-5 outline-none max-md:pb-24 md:px-6"
        >
          {children}
          <div id={LAYER_ID} />
        </main>
      </div>
      <BottomBar />
      <Toaster />
      <ToastCauses />
      <Notified />
      <Commands />
      <KeepShell />
    </>
  );
}

const itemClass =
  "flex h-14 flex-col items-center justify-center gap-1 text-2xs font-medium -outline-offset-2!";

/** Navigation on phones. Runs, Compare, New run, Explain, and a menu of the other pages. */
function BottomBar() {
  const path = usePathname();
  const inBar = allPages.filter((page) => page.inBar);
  const isElsewhere = allPages.some((page) => !page.inBar && page.owns(path));
  const link = ({ href, label, icon: Icon, owns }: Destination) => (
    <HoverLink
      key={href}
      href={href}
      aria-current={owns(path) ? "page" : undefined}
      className={clsx(itemClass, owns(path) ? "text-accent" : "text-ink-soft")}
    >
      <Icon aria-hidden className="size-5" />
      {label}
    </HoverLink>
  );
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-bar grid grid-cols-5 border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {inBar.slice(0, 2).map(link)}
      <HoverLink href={routes.newRun} className={clsx(itemClass, "text-ink-soft")}>
        <Plus aria-hidden className="size-5" />
        New run
      </HoverLink>
      {inBar.slice(2).map(link)}
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => showOverlay("pages")}
        className={clsx(itemClass, isElsewhere ? "text-accent" : "text-ink-soft")}
      >
        <Ellipsis aria-hidden className="size-5" />
        More
      </button>
    </nav>
  );
}

/** A shape for each state: a ring, a disc, a square, a diamond. */
const appearances: Record<ConnectionState, { word: string; dot: string }> = {
  connecting: { word: "Connecting", dot: "rounded-full border-2 border-control-line" },
  live: { word: "Live", dot: "rounded-full bg-good" },
  reconnecting: { word: "Reconnecting", dot: "bg-warn animate-breathe" },
  // Seen where a page is visible and the browser says that it is not.
  paused: { word: "Paused", dot: "rounded-full border-2 border-control-line" },
};
const away = { word: "No service", dot: "rotate-45 bg-bad" };

function Connection() {
  const state = useConnectionState();
  const { data: health } = useQuery(healthQuery);
  const { word, dot } = useServiceAway() === null ? appearances[state] : away;
  const facts =
    health &&
    `Version ${health.version} · ${health.active_runs} of ${health.max_concurrent_runs} training slots in use · ${bytes(health.free_disk_bytes)} free`;
  return (
    <p
      role="status"
      aria-label={`Connection: ${word}`}
      title={facts}
      data-connection={state}
      className="flex items-center gap-1.5 text-xs text-ink-soft"
    >
      <span aria-hidden className={clsx("size-2 shrink-0", dot)} />
      <span className="max-sm:sr-only">{word}</span>
    </p>
  );
}

function Logo() {
  return (
    <HoverLink
      href={routes.home}
      className="flex min-w-0 items-center gap-2 rounded-md text-sm font-semibold tracking-tight"
    >
      <svg aria-hidden viewBox="0 0 24 24" className="size-6 shrink-0">
        <rect width="24" height="24" rx="6" className="fill-accent" />
        <path
          d="M5 17.5c4.2 0 4.6-3.2 6.6-6.4S15.6 7 17 7"
          fill="none"
          strokeWidth="2"
          strokeLinecap="round"
          className="stroke-accent-ink"
        />
        <circle cx="18" cy="7" r="2" className="fill-accent-ink" />
      </svg>
      <span className="truncate max-[27rem]:sr-only">RL Gym Visualizer</span>
    </HoverLink>
  );
}

/** A bar on every page that says since when the service has not responded, and what to do. */
function ServiceAwayBar() {
  const since = useServiceAway();

  // External system: an attribute of the document, with which styles stop the animations of things
  // at work.
  useEffect(() => {
    if (since === null) return;
    document.documentElement.dataset.service = "away";
    return () => {
      delete document.documentElement.dataset.service;
      dismissForService();
    };
  }, [since]);

  if (since === null) return null;
  return (
    <div role="alert">
      <div className="flex items-start gap-2.5 border-b border-line-strong bg-bad-tint px-4 py-2 text-sm text-bad">
        <Unplug aria-hidden className="mt-0.5 size-4 shrink-0" />
        <p>
          <b className="font-semibold">
            The service has not answered since{" "}
            <time dateTime={new Date(since).toISOString()} className="tabular-nums">
              {clockTime(new Date(since).toISOString())}
            </time>
            .
          </b>{" "}
          The page shows the state at that time, and you cannot change anything. Check in the
          terminal whether the app is running, and restart it if necessary. This page reconnects
          automatically.
        </p>
      </div>
    </div>
  );
}

/** Free resources of the service's machine. While they load, their space is reserved. */
function ServiceFacts() {
  const { data } = useQuery(healthQuery);
  const health = useServiceAway() === null ? data : undefined;
  return (
    <dl className="mt-2 grid min-h-18 grid-cols-[1fr_auto] content-start gap-x-2 gap-y-1 border-t border-line px-2.5 pt-2.5 text-xs text-ink-soft tabular-nums">
      {health && (
        <>
          <dt className="text-ink-faint">Training</dt>
          <dd>
            {health.active_runs} of {health.max_concurrent_runs}
          </dd>
          <dt className="text-ink-faint">Free disk</dt>
          <dd>{bytes(health.free_disk_bytes)}</dd>
          <dt className="text-ink-faint">Version</dt>
          <dd>{health.version}</dd>
        </>
      )}
    </dl>
  );
}

const sidebarItemClass =
  "group flex h-8 w-full items-center gap-2.5 rounded-md px-2.5 text-sm font-medium transition-colors";
/** An entry that belongs to Settings. */
const partClass = "pl-6";
const otherClass = "text-ink-soft hover:bg-rest-tint hover:text-ink";

function Sidebar() {
  const path = usePathname();
  return (
    <aside aria-label="Sidebar" className="hidden w-48 shrink-0 border-r border-line md:block">
      <div className="sticky top-13 flex h-[calc(100dvh-3.25rem)] flex-col gap-0.5 p-3">
        <HoverLink href={routes.newRun} className={clsx(buttonClass("primary"), "mb-2.5 w-full")}>
          <Plus aria-hidden className="size-4" />
          New run
        </HoverLink>
        <nav aria-label="Main" className="flex flex-col gap-0.5">
          {pages.map(({ href, label, icon: Icon, keys, owns }) => (
            <HoverLink
              key={href}
              href={href}
              aria-current={owns(path) ? "page" : undefined}
              className={clsx(sidebarItemClass, owns(path) ? "bg-rest-tint text-ink" : otherClass)}
            >
              <Icon aria-hidden className="size-4" />
              <span className="grow">{label}</span>
              <span
                aria-hidden
                className="opacity-0 transition-opacity group-hover:opacity-100 group-focus-visible:opacity-100"
              >
                <Kbd>{keys}</Kbd>
              </span>
            </HoverLink>
          ))}
        </nav>
        <div className="mt-auto flex flex-col gap-0.5">
          {lowerPages.map(({ href, label, icon: Icon, owns }) => (
            <HoverLink
              key={href}
              href={href}
              aria-current={owns(path) ? "page" : undefined}
              className={clsx(
                sidebarItemClass,
                href !== routes.settings && partClass,
                owns(path) ? "bg-rest-tint text-ink" : otherClass,
              )}
            >
              <Icon aria-hidden className="size-4" />
              {label}
            </HoverLink>
          ))}
          <button
            type="button"
            aria-haspopup="dialog"
            onClick={() => showOverlay("shortcuts")}
            className={clsx(sidebarItemClass, partClass, otherClass)}
          >
            <Keyboard aria-hidden className="size-4" />
            <span className="grow text-left">Shortcuts</span>
            <span aria-hidden>
              <Kbd>?</Kbd>
            </span>
          </button>
          <ServiceFacts />
        </div>
      </div>
    </aside>
  );
}

/** Dismisses messages about a run when its status changes. */
function ToastCauses() {
  const stream = useEventStream();
  // External system: the event stream.
  useEffect(
    () =>
      stream.onEvent((event) => {
        if (event.kind === "status") dismissForRun(event.run.id, event.run.status);
        if (event.kind === "end") dismissForRun(event.end.run_id, event.end.status);
      }),
    [stream],
  );
  return null;
}

/** Opens the command palette. Looks like a search field on a desktop and is a button on a phone. */
function SearchButton() {
  const mod = useModKey();
  return (
    <button
      type="button"
      aria-label="Search runs, pages and actions"
      aria-keyshortcuts="Control+K Meta+K"
      aria-haspopup="dialog"
      onClick={() => showOverlay("palette")}
      className="flex h-8 items-center gap-2 rounded-md border border-line-strong bg-sunken px-2.5 text-sm text-ink-faint transition-colors hover:border-control-line hover:text-ink max-md:size-10 max-md:justify-center max-md:border-transparent max-md:bg-transparent max-md:p-0 max-md:text-ink-soft md:w-60 lg:w-80"
    >
      <Search aria-hidden className="size-4 shrink-0" />
      <span className="grow text-left max-md:hidden">Search or jump to…</span>
      <span className="flex gap-0.5 max-md:hidden">
        <Kbd>{mod === "⌘" ? "⌘K" : "Ctrl K"}</Kbd>
      </span>
    </button>
  );
}

const loadShow = withRetry(() => import("./notify"));

/** Shows messages of the service on every page. Its code is loaded with the first message. */
function Notified() {
  const stream = useEventStream();
  const router = useRouter();
  // External system: the event stream.
  useEffect(
    () =>
      stream.onEvent((event) => {
        if (event.kind !== "notification") return;
        const { notification } = event;
        const { run_id: run, experiment_id: experiment } = notification;
        const address = run ? routes.run(run) : experiment ? routes.experiment(experiment) : null;
        const open = () => address && router.push(address);
        void loadShow().then(({ show }) => show(notification, open));
      }),
    [stream, router],
  );
  return null;
}
