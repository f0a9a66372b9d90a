import clsx from "clsx";
import {
  Equal,
  FlaskConical,
  LoaderCircle,
  TrendingDown,
  TrendingUp,
  TriangleAlert,
} from "lucide-react";
import type { Hint, HintOutcome } from "@/api/types";
import { routes } from "@/lib/routes";
import { HoverLink } from "@/ui/hover-link";

/** What tests of a hint have shown: the record of its kind, and each test with this run. Nothing without tests. */
export function HintTests({ hint, className }: { hint: Hint; className?: string }) {
  if (hint.record === null && hint.tests.length === 0) return null;
  return (
    <div className={clsx("flex flex-col gap-1 text-xs", className)}>
      {hint.record !== null && <p className="text-ink-soft tabular-nums">{hint.record}</p>}
      {hint.tests.length > 0 && (
        <ul aria-label={`Tests of “${hint.title}”`} className="flex flex-col gap-1">
          {hint.tests.map((outcome) => (
            <li key={outcome.experiment_id}>
              <Outcome outcome={outcome}>
                <HoverLink
                  href={routes.experiment(outcome.experiment_id)}
                  className="rounded-sm font-medium whitespace-nowrap text-accent hover:underline"
                >
                  Open the test
                </HoverLink>
              </Outcome>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface OutcomeProps {
  outcome: HintOutcome;
  /** A link behind the sentence. */
  children?: React.ReactNode;
}

/** The result of one test in words. */
export function Outcome({ outcome, children }: OutcomeProps) {
  const { Icon, ink, spins } = appearanceOf(outcome);
  return (
    <div className="flex gap-1.5">
      <Icon
        aria-hidden
        className={clsx("mt-0.5 size-3.5 shrink-0", ink, spins && "animate-spin")}
      />
      <p className="min-w-0 tabular-nums" title={outcome.made}>
        {outcome.sentence} {children}
      </p>
    </div>
  );
}

function appearanceOf({ state, effect }: HintOutcome) {
  if (state === "running") return { Icon: LoaderCircle, ink: "text-accent", spins: true };
  if (state !== "complete") return { Icon: TriangleAlert, ink: "text-warn", spins: false };
  if (effect === "higher") return { Icon: TrendingUp, ink: "text-good", spins: false };
  if (effect === "lower") return { Icon: TrendingDown, ink: "text-bad", spins: false };
  return { Icon: effect === "none" ? Equal : FlaskConical, ink: "text-ink-faint", spins: false };
}
