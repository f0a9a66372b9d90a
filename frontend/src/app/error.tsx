"use client";

import { ErrorState } from "@/components/ui/error-state";

/** The page broke; the shell around it still stands. */
export default function PageError({ error }: { error: Error }) {
  return (
    <>
      <h1 className="sr-only">Something went wrong</h1>
      <ErrorState error={error} retry={() => window.location.reload()} retryLabel="Reload" />
    </>
  );
}
