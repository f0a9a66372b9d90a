import { TriangleAlert } from "lucide-react";
import { ApiError } from "@/api/http";
import { Button } from "./button";
import { EmptyState } from "./empty-state";

interface ErrorStateProps {
  error: Error;
  retry?: () => void;
  retryLabel?: string;
  retrying?: boolean;
}

export function ErrorState({
  error,
  retry,
  retryLabel = "Try again",
  retrying = false,
}: ErrorStateProps) {
  const title = error instanceof ApiError ? error.title : "Something went wrong";
  const detail = error instanceof ApiError ? error.detail : error.message;
  return (
    <div role="alert">
      <EmptyState
        icon={TriangleAlert}
        title={title}
        action={
          retry && (
            <Button onClick={retry} busy={retrying}>
              {retryLabel}
            </Button>
          )
        }
      >
        {detail}
        {error instanceof ApiError && error.isUnreachable && " This page tries again by itself."}
      </EmptyState>
    </div>
  );
}
