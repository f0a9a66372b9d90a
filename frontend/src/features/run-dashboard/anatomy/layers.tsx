"use client";

import { useState } from "react";
import type { UpdateAnatomy } from "@/api/types";
import { Select } from "@/ui/select";
import { AnatomyRow } from "./anatomy-row";
import { type AnatomyFigure, layerLabel, layerNames, layerOf } from "./figures";
import { NormRow } from "./norm-row";

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
  return (
    <div className="flex flex-col gap-4 border-t border-line pt-4">
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
      {figures.map((figure) => (
        <AnatomyRow key={figure.id} {...{ figure, updates, chosen, onChoose }} />
      ))}
      <NormRow
        title="Gradient norm of this layer"
        updates={updates}
        of={(update) => layerOf(update, name)?.gradient_norm}
        chosen={chosen}
        onChoose={onChoose}
      />
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
