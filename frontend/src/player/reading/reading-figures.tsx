import clsx from "clsx";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { StepRecord } from "@/api/types";
import { prepareReading, type ReadingPicture } from "./prepare-reading";
import type { DrawnSpace } from "./space";

interface ReadingFiguresProps {
  record: StepRecord;
  action: DrawnSpace;
  /** The action that `chosenAction` finds for the state of the record. */
  chosen: readonly number[] | null;
}

/** The policy's reading of one step: action probabilities, Q-values, or means and deviations. */
export function ReadingFigures({ record, action, chosen }: ReadingFiguresProps) {
  const pictures = record.reading ? prepareReading(record.reading, action, chosen) : [];
  return pictures.map((picture) => <ReadingFigure key={picture.title} picture={picture} />);
}

/**
 * The policy's reading of an observation as bars, Gaussians or quantiles, with a row for each action or
 * component.
 */
function ReadingFigure({ picture }: { picture: ReadingPicture }) {
  return (
    <Figure title={picture.title} note={picture.note}>
      <Rows>{rows(picture)}</Rows>
    </Figure>
  );
}

function rows(picture: ReadingPicture) {
  switch (picture.kind) {
    case "bars":
      return picture.bars.map(({ label, text, share, chosen }, i) => (
        <Row key={i} label={label} text={text} chosen={chosen}>
          <span
            className={clsx(
              "absolute inset-y-0 left-0 w-full origin-left",
              chosen ? "bg-accent" : "bg-chart-raw",
            )}
            style={{ transform: `scaleX(${share})` }}
          />
        </Row>
      ));
    case "spreads":
      return picture.spreads.map(({ label, text, mean, from, to, low, high }, i) => (
        <Row key={i} label={label} text={text}>
          {from !== null && to !== null && (
            <span
              title={`${low} to ${high}`}
              className="absolute inset-y-0 bg-chart-raw opacity-50"
              style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
            />
          )}
          <Tick at={mean} strong />
        </Row>
      ));
    case "strips":
      return picture.strips.map(({ label, text, ticks, mean, chosen }, i) => (
        <Row key={i} label={label} text={text} chosen={chosen}>
          {ticks.map((at, j) => (
            <Tick key={j} at={at} />
          ))}
          <Tick at={mean} strong />
        </Row>
      ));
  }
}

interface RowProps {
  label: string;
  text: string;
  /** Whether this action was chosen. */
  chosen?: boolean;
  /** Drawn between name and number. */
  children: ReactNode;
}

/** Rows with a name, a track and a number each; all tracks are lined up. */
function Rows({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[minmax(0,max-content)_minmax(3rem,1fr)_max-content] items-center gap-x-2.5 gap-y-1 text-xs tabular-nums">
      {children}
    </dl>
  );
}

function Row({ label, text, chosen = false, children }: RowProps) {
  return (
    <div className="contents">
      <dt
        className={clsx(
          "flex min-w-0 items-center gap-1",
          chosen ? "font-medium" : "text-ink-soft",
        )}
      >
        <ChevronRight
          aria-hidden
          className={clsx("-ml-1 size-3 shrink-0 text-accent", !chosen && "invisible")}
        />
        <span className="truncate">{label}</span>
        {chosen && <span className="sr-only">, taken</span>}
      </dt>
      <dd aria-hidden className="relative h-2.5 overflow-hidden rounded-sm bg-rest-tint">
        {children}
      </dd>
      <dd className={clsx("min-w-12 text-right", chosen && "font-medium")}>{text}</dd>
    </div>
  );
}

/** A mark at a share (0 to 1) of a track. */
function Tick({ at, strong = false }: { at: number; strong?: boolean }) {
  return (
    <span
      className={clsx(
        "absolute -translate-x-1/2 rounded-full",
        strong ? "inset-y-0 w-0.75 bg-accent" : "inset-y-0.5 w-px bg-chart-raw",
      )}
      style={{ left: `${at * 100}%` }}
    />
  );
}

interface FigureProps {
  title: string;
  /** How to read it. */
  note?: string | null;
  /** Placed at the end of the title line. */
  aside?: ReactNode;
  children: ReactNode;
}

/** A small figure below its title. */
export function Figure({ title, note, aside, children }: FigureProps) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-1.5">
      <div className="flex min-h-4 flex-wrap items-baseline justify-between gap-x-3 text-xs">
        <h3 className="font-medium text-ink-soft">{title}</h3>
        {aside && <span className="min-w-0 truncate text-ink-faint tabular-nums">{aside}</span>}
      </div>
      {children}
      {note && <p className="text-2xs text-ink-faint">{note}</p>}
    </section>
  );
}
