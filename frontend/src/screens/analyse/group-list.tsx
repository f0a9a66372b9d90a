"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type AnalyticsQuestion, groupCurvesQuery, runGroupsQuery } from "@/api/analytics";
import { useAlgorithmName } from "@/api/choices";
import { madeText } from "@/api/method-text";
import type { RunGroupCurves, RunsInGroup } from "@/api/types";
import { BandedCurves } from "@/charts/banded-curves";
import { SeedInterval } from "@/charts/seed-interval";
import { compact, count, decimal, interval, NONE, plural, settingText } from "@/lib/number";
import { routes } from "@/lib/routes";
import { Card } from "@/ui/card";
import { HoverLink } from "@/ui/hover-link";
import { Answer, NO_RUNS, useValueName } from "./answer";
import { columnInText, columnName, type Extent, extentOfBoxes, placeIn } from "./columns";
import { AxisTicks, NoValues, scaleName, ScaleNote } from "./scatter";

interface PictureProps {
  question: AnalyticsQuestion;
  onEnvironment: (envId: string) => void;
}

/** A round value: `0.5`, `100`, `20k`. */
const tickText = (tick: number) => (Math.abs(tick) < 1000 ? settingText(tick) : compact(tick));

/** The scale of the groups' returns, shown once for the curves and the boxes. */
export function GroupScale({ question, onEnvironment }: PictureProps) {
  const { data } = useQuery({ ...runGroupsQuery(question), placeholderData: keepPreviousData });
  // Where no group has a value, that is said in its place.
  if (!data || data.groups.every(({ box }) => !box)) return null;
  return <ScaleNote scale={data.scale} onEnvironment={onEnvironment} />;
}

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
            title={`${columnName(measure).label}${scaleName(scale)} by ${by.map(columnInText).join(" and ")}`}
            aside={<span className="text-xs text-ink-faint">{plural(runs, "run")}</span>}
          >
            <ul className="flex flex-col divide-y divide-line">
              {groups.map((group) => (
                <Row key={JSON.stringify(group.key)} {...{ group, by, extent }} />
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

interface RowProps {
  group: RunsInGroup;
  /** The settings whose values are the group's key. */
  by: readonly string[];
  extent: Extent;
}

function Row({ group, by, extent }: RowProps) {
  const valueName = useValueName();
  const title = group.key.map((value, i) => valueName(by[i], value)).join(" · ");
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

function Figures({ group: { iqm, low, high, count } }: { group: RunsInGroup }) {
  if (iqm === null) return <span className="text-right text-ink-faint md:text-left">{NONE}</span>;
  return (
    <span className="text-right tabular-nums md:text-left">
      <span className="sr-only">Interquartile mean </span>
      <span className="font-medium">{decimal(iqm)}</span>{" "}
      <SeedInterval count={count} one="run" className="text-xs whitespace-nowrap">
        {interval(low, high, { one: "run" })}
      </SeedInterval>
    </span>
  );
}

/** Name of a group: the values that its runs share. */
export function titleOf(key: readonly (string | null)[]): string {
  return key.map((value) => value ?? "none").join(" · ");
}

type GroupBox = NonNullable<RunsInGroup["box"]>;

interface BoxProps {
  box: GroupBox;
  extent: Extent;
  title: string;
}

/** A box plot on one line: whiskers, quartiles, the median, and a link for each value beyond. */
function Box({ box, extent, title }: BoxProps) {
  const { low, lower_quartile: lower, median, upper_quartile: upper, high } = box;
  const at = (value: number) => `${placeIn(value, extent)}%`;
  const from = (start: number, end: number) => ({
    left: at(start),
    width: `${placeIn(end, extent) - placeIn(start, extent)}%`,
  });
  return (
    <div className="relative mx-2 h-6">
      <div
        role="img"
        className="absolute inset-0"
        aria-label={`${title}: median ${decimal(median)}, quartiles ${decimal(lower)} and ${decimal(upper)}, from ${decimal(low)} to ${decimal(high)}`}
      >
        <span className="absolute top-1/2 h-px bg-ink-faint" style={from(low, high)} />
        {[low, high].map((value, i) => (
          <span
            key={i}
            className="absolute inset-y-1.5 w-px bg-ink-faint"
            style={{ left: at(value) }}
          />
        ))}
        <span
          className="absolute inset-y-1 min-w-px rounded-sm border border-accent bg-accent-tint"
          style={from(lower, upper)}
        />
        <span
          className="absolute inset-y-1 w-0.5 -translate-x-1/2 bg-accent"
          style={{ left: at(median) }}
        />
      </div>
      {box.outliers.map(({ run_id: id, value }) => (
        <HoverLink
          key={id}
          href={routes.run(id)}
          title={`${decimal(value)}: ${id}`}
          className="absolute top-1/2 size-1.5 -translate-1/2 rounded-full border border-ink-soft hover:bg-ink-soft"
          style={{ left: at(value ?? median) }}
        >
          <span className="sr-only">
            Outlier {decimal(value)}: {id}
          </span>
        </HoverLink>
      ))}
    </div>
  );
}

/** Learning curves of the groups, with bands. */
export function GroupCurves({ question }: { question: AnalyticsQuestion }) {
  const asked = useQuery({ ...groupCurvesQuery(question), placeholderData: keepPreviousData });
  // The list of groups says that no run matches.
  if (asked.data?.runs === 0) return null;
  return (
    <Answer
      asked={asked}
      nothing={({ curves, scale }) =>
        curves.variants.length > 0
          ? null
          : scale.notes.length > 0
            ? `The returns of these environments cannot be normalised. ${scale.notes.join(" ")}`
            : "None of the runs that match has finished an episode yet."
      }
    >
      {(found) => <Curves found={found} by={question.by} />}
    </Answer>
  );
}

interface CurvesProps {
  found: RunGroupCurves;
  /** The settings that the runs are grouped by. */
  by: readonly string[];
}

function Curves({ found: { curves, drawn, runs, scale }, by }: CurvesProps) {
  const algorithmName = useAlgorithmName();
  const isAlgorithm = by.length === 1 && by[0] === "algo";
  const lines = useMemo(
    () =>
      curves.variants.map(({ variant, seeds, iqm, low, high, count }, place) => ({
        ...{ id: variant, label: isAlgorithm ? algorithmName(variant) : variant, place },
        ...{ iqm, low, high, of: seeds, one: "run" as const, count },
      })),
    [curves, isAlgorithm, algorithmName],
  );
  const help = curves.variants[0] ? madeText(curves.variants[0].made) : undefined;
  return (
    <>
      <BandedCurves
        title={`Learning curves${scaleName(scale)}`}
        step={curves.step}
        {...{ lines, help }}
      />
      {curves.variants.map(({ variant, note }) =>
        note === null ? null : (
          <p key={variant} className="text-xs text-ink-soft">
            {isAlgorithm ? algorithmName(variant) : variant}: {note}
          </p>
        ),
      )}
      <p className="text-xs text-ink-faint">
        {drawn < runs
          ? `Of the newest ${count(drawn)} of ${plural(runs, "run")}.`
          : `Of ${plural(runs, "run")}.`}
        {curves.left_out.length > 0 &&
          ` ${plural(curves.left_out.length, "group")} with a lower measure left out.`}
      </p>
    </>
  );
}
