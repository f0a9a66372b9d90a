"use client";

import { ErrorState } from "@/ui/notice";
import "./globals.css";

/** Shown when the shell itself fails to render, so it uses no part of the shell. */
export default function GlobalError({ error }: { error: Error }) {
  return (
    <html lang="en">
      <head>
        <title>Something went wrong · RL Gym Visualizer</title>
      </head>
      <body>
        <main className="mx-auto max-w-2xl px-4 py-16">
          <h1 className="sr-only">Something went wrong</h1>
          <ErrorState error={error} retry={() => window.location.reload()} retryLabel="Reload" />
        </main>
      </body>
    </html>
  );
}
