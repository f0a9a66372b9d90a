import { FileQuestion } from "lucide-react";
import Link from "next/link";
import { routes } from "@/lib/routes";
import { buttonClass } from "@/ui/button";
import { EmptyState } from "@/ui/notice";

/** One answer for an id that is missing, misformed or unknown: there is no run to show. */
export function RunNotFound({ id }: { id: string | null }) {
  return (
    <>
      <h1 className="sr-only">Run not found</h1>
      <EmptyState
        icon={FileQuestion}
        title={id === null ? "No run was named" : "This run does not exist"}
        action={
          <Link href={routes.home} className={buttonClass("primary")}>
            Go to your runs
          </Link>
        }
      >
        {id === null ? (
          "The address of a run ends in its id. Choose one from the list."
        ) : (
          <>
            <code className="font-mono text-xs break-all">{id}</code> is not among your runs. It may
            have been deleted.
          </>
        )}
      </EmptyState>
    </>
  );
}
