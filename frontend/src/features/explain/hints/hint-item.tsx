import { CircleAlert, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import Link from "next/link";
import type { MouseEvent } from "react";
import { lookedAtText } from "@/api/hint-text";
import type { Hint } from "@/api/types";
import { count } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Badge, type BadgeTone } from "@/ui/badge";
import { buttonClass } from "@/ui/button";
import { HintCurve } from "./hint-curve";

const severities: Record<Hint["severity"], { word: string; tone: BadgeTone; Icon: LucideIcon }> = {
  problem: { word: "Problem", tone: "bad", Icon: CircleAlert },
  warning: { word: "Warning", tone: "warn", Icon: TriangleAlert },
  info: { word: "Note", tone: "rest", Icon: Info },
};

/** A hint: evidence, suggestion, and the curve with the stretch it refers to. */
export function HintItem({ runId, hint }: { runId: string; hint: Hint }) {
  const { word, tone, Icon } = severities[hint.severity];
  return (
    <li className="grid gap-x-6 gap-y-3 px-4 py-4 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-2">
          <Badge tone={tone}>
            <Icon aria-hidden className="size-3" />
            {word}
          </Badge>
          <h3 className="font-semibold">{hint.title}</h3>
        </div>
        <p className="mt-1.5 max-w-[72ch] text-sm text-ink-soft">{hint.evidence}</p>
        <p className="mt-1.5 max-w-[72ch] text-sm">
          <span className="font-medium">Try: </span>
          {hint.suggestion}
        </p>
        <p className="mt-1.5 text-xs text-ink-faint tabular-nums">{lookedAtText(hint)}</p>
        <p className="mt-2.5 flex flex-wrap gap-2">
          <WhyLink hint={hint} />
          <Link
            href={routes.runChart(runId, hint.metric, hint.from_step, hint.to_step)}
            className={buttonClass("quiet", "sm")}
          >
            See the run&apos;s chart
          </Link>
        </p>
      </div>
      <figure className="min-w-0">
        <HintCurve runId={runId} hint={hint} />
        <figcaption className="mt-1 text-2xs text-ink-soft tabular-nums">
          <span className="font-mono">{hint.metric}</span>
          <br />
          {where(hint)}
        </figcaption>
      </figure>
    </li>
  );
}

/**
 * Links to the guide's failure mode with the hint's id if the page has one, otherwise to the section that the
 * hint names.
 */
function WhyLink({ hint: { id, learn } }: { hint: Hint }) {
  const aim = (event: MouseEvent) => {
    if (!document.getElementById(id)) return;
    event.preventDefault();
    window.location.hash = id;
  };
  return (
    <a href={`#${learn}`} onClick={aim} className={buttonClass("secondary", "sm")}>
      Why this happens
    </a>
  );
}

function where({ from_step: from, to_step: to }: Hint): string {
  return from === to ? `at step ${count(from)}` : `steps ${count(from)} to ${count(to)}`;
}
