"use client";

import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { CircleAlert, Eye, FlaskConical, GitFork, Info, TriangleAlert } from "lucide-react";
import dynamic from "next/dynamic";
import { useState } from "react";
import { hintsInterval } from "@/api/hint-tests";
import { lookedAtText } from "@/api/hint-text";
import { hintsQuery } from "@/api/run-record";
import { isActive } from "@/api/runs";
import type { Hint, RunDetail } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { count, settingText } from "@/lib/number";
import { routes } from "@/lib/routes";
import { HintTests } from "@/screens/shared/hint-tests";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { HoverLink } from "@/ui/hover-link";
import type { Highlight } from "./curves/highlight";

const appearances = {
  info: { Icon: Info, ink: "text-ink-faint", word: "Note" },
  warning: { Icon: TriangleAlert, ink: "text-warn", word: "Warning" },
  problem: { Icon: CircleAlert, ink: "text-bad", word: "Problem" },
};

const WHILE_LIVE = 15_000;

const TryChange = dynamic(
  withRetry(() => import("./snapshots/try-change").then((module) => module.TryChange)),
  { ssr: false },
);

const TestHint = dynamic(
  withRetry(() => import("./test-hint").then((module) => module.TestHint)),
  { ssr: false },
);

export interface TryProps {
  run: RunDetail;
  hint: Hint;
  change: Hint["changes"][number];
  onClose: () => void;
}

interface RunHintsProps {
  run: RunDetail;
  shown: Highlight | null;
  onShow: (highlight: Highlight | null) => void;
}

/** Hints about the run's curves, each with the part of the curve. Renders nothing without hints. */
export function RunHints({ run, shown, onShow }: RunHintsProps) {
  const { data } = useQuery({
    ...hintsQuery(run.id),
    refetchInterval: ({ state }) => hintsInterval(state.data, isActive(run) && WHILE_LIVE),
  });
  const [tested, setTested] = useState<Hint | null>(null);
  const [tried, setTried] = useState<Pick<TryProps, "hint" | "change"> | null>(null);
  const hints = data?.hints ?? [];
  if (hints.length === 0) return null;
  return (
    <Card
      title="Hints"
      aside={
        <HoverLink
          href={routes.explainRun(run.id)}
          className="rounded-sm text-xs font-medium text-accent hover:underline"
        >
          Explain this run
        </HoverLink>
      }
      bodyClass=""
    >
      <ul className="divide-y divide-line">
        {hints.map((hint) => (
          <HintRow
            key={`${hint.id} ${hint.from_step}`}
            hint={hint}
            shown={isShown(hint, shown)}
            onShow={onShow}
            onTest={() => setTested(hint)}
            onTry={(change) => setTried({ hint, change })}
          />
        ))}
      </ul>
      {tested && <TestHint run={run} hint={tested} onClose={() => setTested(null)} />}
      {tried && <TryChange run={run} {...tried} onClose={() => setTried(null)} />}
    </Card>
  );
}

interface HintRowProps {
  hint: Hint;
  shown: boolean;
  onShow: (highlight: Highlight | null) => void;
  onTest: () => void;
  onTry: (change: TryProps["change"]) => void;
}

function HintRow({ hint, shown, onShow, onTest, onTry }: HintRowProps) {
  const { Icon, ink, word } = appearances[hint.severity];
  return (
    <li className="flex gap-2.5 px-4 py-3">
      <Icon aria-label={word} className={clsx("mt-0.5 size-4 shrink-0", ink)} />
      <div className="min-w-0 grow text-sm">
        <p className="font-medium">{hint.title}</p>
        <p className="mt-0.5 text-xs text-ink-soft">{hint.evidence}</p>
        <p className="mt-1 text-xs">{hint.suggestion}</p>
        <p className="mt-1 text-2xs text-ink-faint tabular-nums">{lookedAtText(hint)}</p>
        <HintTests hint={hint} className="mt-1.5" />
        <div className="mt-1 -ml-2 flex flex-wrap">
          <Button
            size="sm"
            variant="quiet"
            aria-pressed={shown}
            icon={<Eye aria-hidden className="size-3.5" />}
            onClick={() => onShow(shown ? null : highlightOf(hint))}
          >
            {shown ? "Hide in the chart" : "Show in the chart"}
            <span className="font-normal text-ink-faint">
              steps {count(hint.from_step)}–{count(hint.to_step)}
            </span>
          </Button>
          {hint.changes.map((change) => (
            <Button
              key={change.name}
              size="sm"
              variant="quiet"
              icon={<GitFork aria-hidden className="size-3.5" />}
              onClick={() => onTry(change)}
            >
              Try {change.name} {settingText(change.value)}
            </Button>
          ))}
          {hint.testable.length > 0 && (
            <Button
              size="sm"
              variant="quiet"
              icon={<FlaskConical aria-hidden className="size-3.5" />}
              onClick={onTest}
            >
              Test this
            </Button>
          )}
        </div>
      </div>
    </li>
  );
}

function highlightOf({ metric, from_step, to_step }: Hint): Highlight {
  return { metric, steps: [from_step, to_step] };
}

function isShown(hint: Hint, shown: Highlight | null): boolean {
  return (
    shown?.metric === hint.metric &&
    shown.steps[0] === hint.from_step &&
    shown.steps[1] === hint.to_step
  );
}
