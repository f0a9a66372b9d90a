"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type AnalyticsQuestion, runGroupsQuery } from "@/api/analytics";
import type { RunsInGroup } from "@/api/types";
import { compact, count, decimal, interval, NONE, plural, setting } from "@/lib/number";
import { Card } from "@/ui/card";
import { Answer, NO_RUNS } from "./answer";
import { AxisTicks } from "./axis-ticks";
import { Box } from "./box";
import { columnName } from "./column-name";
import { type Extent, extentOfBoxes } from "./extent";
import { NoValues, scaleName, ScaleNote } from "./scale-note";

interface PictureProps {
  question: AnalyticsQuestion;
  onEnvironment: (envId: string) => void;
}

/** A round value: `0.5`, `100`, `20k`. */
const tickText = (tick: number) => (Math.abs(tick) < 1000 ? setting(tick) : compact(tick));

/** Each group with its figures and a box plot, on one axis. */
export function GroupList({ question, onEnvironment }: PictureProps) {
  const asked = useQuery({ ...runGroupsQuery(question), placeholderData: keepPreviousData });
  return (
    <Answer
      asked={asked}
      nothing={({ groups, scale }) =>
        groups.length === 0 ? (
          NO_RUNS
        ) : groups.every(({ box }) => !box) ? (
          <NoValues {...{ scale, onEnvironment }} />
        ) : null
      }
    >
      {({ groups, by, measure, runs, left_out: leftOut, scale }) => {
        const extent = extentOfBoxes(groups);
        return (
          <Card
            title={`${columnName(measure).label}${scaleName(scale)} by ${by.map((name) => columnName(name).label).join(" and ")}`}
            aside={<span className="text-xs text-ink-faint">{plural(runs, "run")}</span>}
          >
            <ScaleNote {...{ scale, onEnvironment }} />
            <ul className="flex flex-col divide-y divide-line">
              {groups.map((group) => (
                <Row key={JSON.stringify(group.key)} {...{ group, extent }} />
              ))}
              <li className={`${COLUMNS} pt-2`} aria-hidden>
                <AxisTicks
                  extent={extent}
                  text={tickText}
                  className="px-2 text-2xs text-ink-faint tabular-nums max-md:col-span-2 md:col-start-3"
                />
              </li>
            </ul>
            <p className="mt-3 text-xs text-ink-faint">
              Interquartile mean with its 95 % bootstrap interval. Boxes: quartiles and median;
              whiskers to the furthest value within 1.5 interquartile ranges, dots beyond.
              {leftOut > 0 && ` ${plural(leftOut, "group")} with fewer runs left out.`}
            </p>
          </Card>
        );
      }}
    </Answer>
  );
}

const COLUMNS =
  "grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 py-2 md:grid-cols-[minmax(0,1fr)_13rem_minmax(0,2fr)]";

function Row({ group, extent }: { group: RunsInGroup; extent: Extent }) {
  const title = titleOf(group.key);
  return (
    <li className={COLUMNS}>
      <div className="min-w-0">
        <p className="truncate font-medium" title={title}>
          {title}
        </p>
        <p className="text-2xs text-ink-faint">
          {group.count < group.runs
            ? `${count(group.count)} of ${plural(group.runs, "run")} with a value`
            : plural(group.runs, "run")}
        </p>
      </div>
      <Figures group={group} />
      <div className="max-md:col-span-2">
        {group.box && <Box box={group.box} {...{ extent, title }} />}
      </div>
    </li>
  );
}

function Figures({ group: { iqm, low, high } }: { group: RunsInGroup }) {
  if (iqm === null) return <span className="text-right text-ink-faint md:text-left">{NONE}</span>;
  return (
    <span className="text-right tabular-nums md:text-left">
      <span className="sr-only">Interquartile mean </span>
      <span className="font-medium">{decimal(iqm)}</span>{" "}
      <span className="text-xs whitespace-nowrap text-ink-soft">
        {interval(low, high, { one: "run" })}
      </span>
    </span>
  );
}

/** What a group is called: the values that its runs have in common. */
export function titleOf(key: readonly (string | null)[]): string {
  return key.map((value) => value ?? "none").join(" · ");
}
