"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type AnalyticsQuestion, groupCurvesQuery } from "@/api/analytics";
import { madeText } from "@/api/made";
import type { RunGroupCurves } from "@/api/types";
import { BandedCurves } from "@/charts/banded-curves";
import { count, plural } from "@/lib/number";
import { Answer, NO_RUNS } from "./answer";
import { scaleName, ScaleNote } from "./scale-note";

interface GroupCurvesProps {
  question: AnalyticsQuestion;
  onEnvironment: (envId: string) => void;
}

/** Learning curves of the groups, with bands. */
export function GroupCurves({ question, onEnvironment }: GroupCurvesProps) {
  const asked = useQuery({ ...groupCurvesQuery(question), placeholderData: keepPreviousData });
  return (
    <Answer
      asked={asked}
      nothing={({ curves, runs, scale }) =>
        runs === 0 ? (
          NO_RUNS
        ) : curves.variants.length > 0 ? null : scale.notes.length > 0 ? (
          <ScaleNote {...{ scale, onEnvironment }} />
        ) : (
          "None of the runs that match has finished an episode yet."
        )
      }
    >
      {(found) => <Curves {...{ found, onEnvironment }} />}
    </Answer>
  );
}

interface CurvesProps {
  found: RunGroupCurves;
  onEnvironment: (envId: string) => void;
}

function Curves({ found: { curves, drawn, runs, scale }, onEnvironment }: CurvesProps) {
  const lines = useMemo(
    () =>
      curves.variants.map(({ variant, seeds, iqm, low, high, count }, place) => ({
        ...{ id: variant, label: variant, place, iqm, low, high },
        ...{ of: seeds, one: "run" as const, count },
      })),
    [curves],
  );
  const help = curves.variants[0] ? madeText(curves.variants[0].made) : undefined;
  return (
    <>
      <ScaleNote {...{ scale, onEnvironment }} />
      <BandedCurves
        title={`Learning curves${scaleName(scale)}`}
        step={curves.step}
        {...{ lines, help }}
      />
      {curves.variants.map(({ variant, note }) =>
        note === null ? null : (
          <p key={variant} className="text-xs text-ink-soft">
            {variant}: {note}
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
