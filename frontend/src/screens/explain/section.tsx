import type { ReactNode } from "react";
import { Skeleton } from "@/ui/progress";
import type { Passage } from "./guide";

interface SectionProps {
  id: string;
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}

export function Section({ id, title, aside, children }: SectionProps) {
  return (
    <section aria-labelledby={`${id}-title`} id={id} className="min-w-0 scroll-mt-18">
      <div className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
        <h2 id={`${id}-title`} className="text-lg font-semibold tracking-tight">
          {title}
        </h2>
        {aside}
      </div>
      <div className="mt-2.5">{children}</div>
    </section>
  );
}

/** The main point in one sentence, then the details. */
export function PassageText({ passage }: { passage: Passage }) {
  return (
    <div className="max-w-[68ch]">
      <p className="text-[0.9375rem] leading-relaxed font-medium">{passage.lead}</p>
      {passage.formula}
      <ul className="mt-3 flex flex-col gap-2 text-ink-soft">
        {passage.points.map((point, index) => (
          <li key={index} className="flex gap-2.5">
            <span aria-hidden className="mt-2 size-1 shrink-0 rounded-full bg-control-line" />
            <span>{point}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function GuideSkeleton() {
  return (
    <div role="status" aria-label="Loading the guide" className="flex flex-col gap-6">
      <Skeleton className="h-14 max-w-2xl" />
      <Skeleton className="h-8 max-w-96" />
      <Skeleton className="h-105" />
      <div className="grid gap-6 xl:grid-cols-2">
        <Skeleton className="h-64" />
        <Skeleton className="h-64" />
      </div>
    </div>
  );
}
