"use client";

import { useState } from "react";
import { Select } from "@/components/ui/select";
import type { UpdateAnatomy } from "@/lib/api";
import { decimal } from "@/lib/format";
import { AnatomyRow } from "./anatomy-row";
import { type AnatomyFigure, layerLabel, layerNames, layerOf } from "./figures";

interface LayersProps {
  updates: readonly UpdateAnatomy[];
  chosen: number;
  onChoose: (update: number) => void;
}

/** Weights and gradients of the selected layer. */
export function Layers({ updates, chosen, onChoose }: LayersProps) {
  const names = layerNames(updates);
  const [wanted, setWanted] = useState<string | null>(null);
  const name = wanted !== null && names.includes(wanted) ? wanted : names[0];
  const figures = name === undefined ? [] : figuresOfLayer(name);
  if (name === undefined) return null;
  const norm = updates[chosen] && layerOf(updates[chosen], name)?.gradient_norm;
  return (
    <div className="flex flex-col gap-4 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <Select
          aria-label="Layer"
          value={name}
          onChange={(event) => setWanted(event.currentTarget.value)}
          className="w-56"
        >
          {names.map((one) => (
            <option key={one} value={one}>
              {layerLabel(one)}
            </option>
          ))}
        </Select>
        <span className="text-xs text-ink-soft tabular-nums">
          {typeof norm === "number" ? `gradient norm ${decimal(norm)}` : "no gradient step"}
        </span>
      </div>
      {figures.map((figure) => (
        <AnatomyRow key={figure.id} {...{ figure, updates, chosen, onChoose }} />
      ))}
    </div>
  );
}

function figuresOfLayer(name: string): AnatomyFigure[] {
  return [
    {
      id: "weights",
      title: "Weights",
      help: "As the update left them. They spread slowly; a sudden spread is a step that was too large.",
      of: (update) => layerOf(update, name)?.weights ?? null,
    },
    {
      id: "gradients",
      title: "Gradients",
      help: "Of the last minibatch, as the optimizer got them. All at 0: this layer no longer learns.",
      of: (update) => layerOf(update, name)?.gradients ?? null,
    },
  ];
}
