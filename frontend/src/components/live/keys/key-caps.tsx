"use client";

import clsx from "clsx";
import { type PointerEvent, useMemo } from "react";
import type { Controls } from "@/api/types";
import type { KeyInput } from "@/lib/session/key-input";
import { useStore } from "@/lib/use-store";
import { type Cap, capsOf } from "./caps";
import { keyName } from "./key-names";

interface KeyCapsProps {
  controls: Controls;
  keyInput: KeyInput;
  /** Called when a key on the screen is pressed. */
  onPress: () => void;
}

const PLACES: Record<string, string> = {
  ArrowUp: "col-start-2 row-start-1",
  ArrowLeft: "col-start-1 row-start-2",
  ArrowDown: "col-start-2 row-start-2",
  ArrowRight: "col-start-3 row-start-2",
};

/** The keys of an environment on the screen. They are highlighted while held, and can be pressed by touch. */
export function KeyCaps({ controls, keyInput, onPress }: KeyCapsProps) {
  const { arrows, others, chords } = useMemo(() => capsOf(controls), [controls]);
  const held = useStore(keyInput.held);
  const cap = (each: Cap) => (
    <KeyCap
      key={each.key}
      cap={each}
      lit={each.alike.some((key) => held.includes(key))}
      keyInput={keyInput}
      onPress={onPress}
    />
  );
  const inCross = arrows.some(({ key }) => key === "ArrowUp" || key === "ArrowDown");
  return (
    <div role="group" aria-label="Keys" className="flex flex-col gap-2 select-none">
      <div className="flex flex-wrap items-end justify-center gap-x-6 gap-y-2">
        {arrows.length > 0 && (
          <div className={clsx("gap-1.5", inCross ? "grid grid-cols-3" : "flex")}>
            {arrows.map(cap)}
          </div>
        )}
        {others.length > 0 && (
          <div className="flex max-w-md flex-wrap justify-center gap-1.5">{others.map(cap)}</div>
        )}
      </div>
      {chords.length > 0 && (
        <p className="text-center text-2xs text-ink-faint">
          {chords
            .map(
              ({ keys, label }) => `${keys.map((key) => keyName(key).sign).join(" + ")} ${label}`,
            )
            .join(" · ")}
        </p>
      )}
    </div>
  );
}

interface KeyCapProps {
  cap: Cap;
  lit: boolean;
  keyInput: KeyInput;
  onPress: () => void;
}

function KeyCap({ cap: { key, label }, lit, keyInput, onPress }: KeyCapProps) {
  const { sign, name } = keyName(key);
  const press = () => {
    onPress();
    keyInput.press(key);
  };
  const release = () => keyInput.release(key);
  const onPointerDown = (event: PointerEvent<HTMLButtonElement>) => {
    if (event.button !== 0) return;
    event.preventDefault(); // keeps the focus on the stage
    event.currentTarget.setPointerCapture(event.pointerId);
    press();
  };
  return (
    <button
      type="button"
      aria-label={`${label}: ${name}`}
      aria-pressed={lit}
      data-key={key}
      onPointerDown={onPointerDown}
      onPointerUp={release}
      onPointerCancel={release}
      onContextMenu={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") press();
      }}
      onKeyUp={release}
      onBlur={release}
      className={clsx(
        "flex min-h-11 min-w-16 touch-none flex-col items-center justify-center rounded-md border px-1.5 py-1 transition-colors max-md:min-h-14 max-md:min-w-20",
        PLACES[key],
        lit
          ? "border-accent bg-accent text-accent-ink"
          : "border-line-strong bg-raised text-ink shadow-card",
      )}
    >
      <span aria-hidden className="font-mono text-sm leading-tight">
        {sign}
      </span>
      <span className={clsx("max-w-24 truncate text-2xs", lit ? "" : "text-ink-soft")}>
        {label}
      </span>
    </button>
  );
}
