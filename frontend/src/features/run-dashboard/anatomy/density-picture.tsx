"use client";

import { decimal } from "@/lib/number";
import type { Density } from "./density";
import { paintDensity } from "./paint-density";
import { UpdatePicture } from "./update-picture";

interface DensityPictureProps {
  title: string;
  density: Density;
  band: readonly [number, number] | null;
  /** Names of integer values, from 0; with them there is no scale. */
  names?: readonly string[];
  chosen: number;
  onChoose: (update: number) => void;
}

/** A distribution over training. */
export function DensityPicture({
  title,
  density,
  band,
  names,
  chosen,
  onChoose,
}: DensityPictureProps) {
  return (
    <UpdatePicture
      title={title}
      steps={density.columns.map(({ step }) => step)}
      paint={(ctx, size, colors) => paintDensity(ctx, size, colors, { density, chosen, band })}
      scale={
        names ? (
          names
            .map((name) => (
              <span key={name} className="truncate">
                {name}
              </span>
            ))
            .reverse()
        ) : (
          <>
            <span>{decimal(density.high)}</span>
            <span>{decimal(density.low)}</span>
          </>
        )
      }
      chosen={chosen}
      onChoose={onChoose}
    />
  );
}
