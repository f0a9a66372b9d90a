import clsx from "clsx";
import { CircleAlert, CircleCheck, Hourglass, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ComponentType, ReactNode, SVGProps } from "react";
import { ApiError } from "@/api/http";
import { Button } from "./button";

interface NoticeProps {
  tone: "bad" | "warn" | "info" | "good";
  title: string;
  role?: "alert" | "status";
  /** In place of the one of its tone. */
  icon?: ComponentType<SVGProps<SVGSVGElement>>;
  children?: ReactNode;
}

const appearances = {
  bad: { Icon: CircleAlert, box: "border-bad/30 bg-bad-tint", ink: "text-bad-strong" },
  good: { Icon: CircleCheck, box: "border-line bg-surface", ink: "text-good" },
  info: { Icon: Hourglass, box: "border-line bg-surface", ink: "text-ink" },
  warn: { Icon: TriangleAlert, box: "border-warn/30 bg-warn-tint", ink: "text-warn" },
};

export function Notice({ tone, title, role, icon, children }: NoticeProps) {
  const { Icon: usual, box, ink } = appearances[tone];
  const Icon = icon ?? usual;
  return (
    <div role={role} className={clsx("flex gap-2.5 rounded-lg border px-3.5 py-2.5", box)}>
      <Icon aria-hidden className={clsx("mt-0.5 size-4 shrink-0", ink)} />
      <div className="min-w-0 grow text-sm">
        <p className={clsx("font-medium break-words", ink)}>{title}</p>
        {children}
      </div>
    </div>
  );
}

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      <span className="grid size-10 place-items-center rounded-lg border border-line bg-sunken text-ink-faint">
        <Icon aria-hidden className="size-5" />
      </span>
      <p className="mt-4 font-semibold">{title}</p>
      {children && <div className="mt-1 max-w-md text-ink-soft">{children}</div>}
      {action && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

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
          retry &&
          !isGone(error) && (
            <Button onClick={retry} busy={retrying}>
              {retryLabel}
            </Button>
          )
        }
      >
        {detail}
        {error instanceof ApiError &&
          error.isUnreachable &&
          " This page tries again automatically."}
      </EmptyState>
    </div>
  );
}

/** Whether the service answered that the object does not exist, so that a retry would not help. */
function isGone(error: Error): boolean {
  return error instanceof ApiError && error.status === 404;
}
