import clsx from "clsx";
import { CircleAlert, CircleCheck, Hourglass, TriangleAlert } from "lucide-react";
import type { ComponentType, ReactNode, SVGProps } from "react";

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
