"use client";

import { Card } from "@/ui/card";
import { CopyButton } from "@/ui/copy-button";
import { ErrorState } from "@/ui/notice";

/** Shown when a page fails to render; the shell around it stays. */
export default function PageError({ error }: { error: Error & { digest?: string } }) {
  const report = [error.stack ?? error.message, error.digest].filter(Boolean).join("\n");
  return (
    <>
      <h1 className="sr-only">Something went wrong</h1>
      <Card label="Something went wrong" bodyClass="py-8">
        <ErrorState error={error} retry={() => window.location.reload()} retryLabel="Reload" />
        <p className="-mt-6 flex items-center justify-center gap-1 text-xs text-ink-faint">
          Your runs continue without this page. Details for a report:
          <CopyButton text={report} label="Copy the details of the error" />
        </p>
      </Card>
    </>
  );
}
