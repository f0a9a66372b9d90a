"use client";

import Link from "next/link";
import { type ReactNode, useState } from "react";
import type { SeenPictures } from "@/api/types";
import { usePaintedCanvas } from "@/charts/canvas";
import { routes } from "@/lib/routes";
import { Segmented } from "@/ui/segmented";
import { Figure } from "../draw/figure";
import { paintSeen, type SeenSheet } from "./paint-seen";

interface SeenFigureProps {
  sheet: SeenSheet | null;
  /** What the maps below the pictures are of; null: there are none. */
  score: SeenPictures["score"];
  /** What can be chosen besides. */
  controls: ReactNode;
  /** Shown instead of the pictures while there are none. */
  children?: ReactNode;
}

const SCORES: Record<NonNullable<SeenPictures["score"]>, string> = {
  logit: "the logit of the chosen action",
  q_value: "Q(s, a) of the chosen action",
  value: "V(s)",
};

/** The agent's own input, and which of its pixels mattered. */
export function SeenFigure({ sheet, score, controls, children }: SeenFigureProps) {
  const [all, setAll] = useState(false);
  const pictures = sheet?.pictures ?? 1;
  return (
    <Figure title="What the agent saw">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {pictures > 1 && (
          <Segmented
            legend="Pictures"
            options={[
              { value: "newest", label: "Newest" },
              { value: "all", label: `All ${pictures}` },
            ]}
            value={all ? "all" : "newest"}
            onChange={(value) => setAll(value === "all")}
          />
        )}
        {controls}
      </div>
      {sheet ? <SeenCanvas sheet={sheet} all={all} score={score} /> : children}
      {score && (
        <p className="text-2xs text-ink-faint">
          Where it glows, a small change of the pixel would change {SCORES[score]} most. This shows
          what that number reacts to, not why the action was chosen, nor that the rest does not
          matter.{" "}
          <Link href={routes.explainSaliency} className="underline hover:text-ink">
            What it can tell
          </Link>
        </p>
      )}
    </Figure>
  );
}

interface SeenCanvasProps {
  sheet: SeenSheet;
  all: boolean;
  score: SeenPictures["score"];
}

function SeenCanvas({ sheet, all, score }: SeenCanvasProps) {
  const { pictures, width, height } = sheet;
  const canvas = usePaintedCanvas((ctx, size, colors) => paintSeen(ctx, size, colors, sheet, all));
  const what = all
    ? `${pictures} pictures that the agent saw`
    : "The newest picture that the agent saw";
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={score ? `${what}, and how much each pixel mattered for ${SCORES[score]}` : what}
      style={{ aspectRatio: `${all ? width : width / pictures} / ${height}` }}
      className={all ? "w-full" : "mx-auto w-full max-w-84 rounded-sm"}
    />
  );
}
