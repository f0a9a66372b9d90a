"use client";

import clsx from "clsx";
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useMemo,
} from "react";
import type { Actor, Binding, Controls } from "@/api/types";
import { useStore, useStoreValue } from "@/lib/use-store";
import type { KeyInput } from "../session/key-input";
import type { SessionClient } from "../session/session-client";
import { keyInputFor } from "../session/watch-session";

interface KeysStageProps {
  ref: RefObject<HTMLDivElement | null>;
  /** Focus the stage when it is mounted. */
  takesFocus?: boolean;
  /** Null: keys are ignored. */
  keyInput: KeyInput | null;
  /** Name of the game, for screen readers. */
  label: string;
  /** Called before a bound key takes effect. */
  onPress: () => void;
  /** Called when the stage is clicked. */
  onClick: () => void;
  /** Called on Escape; move the focus elsewhere. */
  onEscape: () => void;
  /** Called when the stage loses the focus. */
  onLeave: () => void;
  className?: string;
  children: ReactNode;
}

/** An element that sends keyboard input to `keyInput` while it has the focus. Escape leaves it. */
export function KeysStage({
  ref,
  takesFocus = false,
  keyInput,
  label,
  onPress,
  onClick,
  onEscape,
  onLeave,
  className,
  children,
}: KeysStageProps) {
  const helpId = useId();
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key === "Escape") return onEscape();
    if (event.ctrlKey || event.metaKey || event.altKey || !keyInput?.knows(event.code)) return;
    event.preventDefault(); // the page does not scroll
    if (event.repeat) return;
    onPress();
    keyInput.press(event.code);
  };
  // External system: the document's focus.
  useEffect(() => {
    if (takesFocus) ref.current?.focus({ preventScroll: true });
  }, [ref, takesFocus]);

  const leave = () => {
    keyInput?.letGo();
    onLeave();
  };
  return (
    <div
      ref={ref}
      role="application"
      aria-roledescription="game"
      aria-label={label}
      aria-describedby={helpId}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onKeyUp={(event) => keyInput?.release(event.code)}
      onClick={onClick}
      onBlur={leave}
      className={clsx("outline-offset-2 focus:outline-2 focus:outline-accent", className)}
    >
      {children}
      <span id={helpId} className="sr-only">
        While the picture has the focus, the keys listed below control the game. Escape removes the
        focus and pauses.
      </span>
    </div>
  );
}

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

interface KeyName {
  /** Text on the cap. */
  sign: string;
  /** Name for screen readers. */
  name: string;
}

const NAMES: Record<string, KeyName> = {
  ArrowLeft: { sign: "←", name: "left arrow" },
  ArrowRight: { sign: "→", name: "right arrow" },
  ArrowUp: { sign: "↑", name: "up arrow" },
  ArrowDown: { sign: "↓", name: "down arrow" },
  Space: { sign: "Space", name: "space" },
  Enter: { sign: "Enter", name: "enter" },
};

/** Name of a key, given its `KeyboardEvent.code`: `KeyA`, `Digit1`, `ArrowLeft`. */
export function keyName(code: string): KeyName {
  const sign = code.replace(/^(Key|Digit)/, "");
  return NAMES[code] ?? { sign, name: sign };
}

/** A key to show: one that has an effect on its own. */
interface Cap {
  key: string;
  label: string;
  /** All keys with the same effect; the cap is highlighted while any of them is held. */
  alike: readonly string[];
}

export interface Caps {
  /** Arrow-like keys by their place in a cross. */
  arrows: readonly Cap[];
  others: readonly Cap[];
  /** What keys do when held together, in words. */
  chords: readonly { keys: readonly string[]; label: string }[];
}

const isSame = (a: Binding) => (b: Binding) =>
  a.component === b.component && a.value === b.value && a.keys.length === b.keys.length;

/** The keys to show. Of keys with the same effect only the first is shown, and combinations only in words. */
export function capsOf({ bindings }: Controls): Caps {
  const first = bindings.filter((each, place) => bindings.findIndex(isSame(each)) === place);
  const caps = first
    .filter(({ keys }) => keys.length === 1)
    .map((each) => ({
      key: each.keys[0]!,
      label: each.label,
      alike: bindings.filter(isSame(each)).map(({ keys }) => keys[0]!),
    }));
  return {
    arrows: caps.filter(({ key }) => key.startsWith("Arrow")),
    others: caps.filter(({ key }) => !key.startsWith("Arrow")),
    chords: first.filter(({ keys }) => keys.length > 1),
  };
}

/** Keyboard input for a session; null until the session has sent its key bindings. */
export function useKeyInput(client: SessionClient): KeyInput | null {
  const hello = useStoreValue(client.state, (state) => state.hello);
  const keyInput = useMemo(() => hello && keyInputFor(client, hello), [client, hello]);
  // External system: animation frames, in which keys may still be moving a component.
  useEffect(() => () => keyInput?.letGo(), [keyInput]);
  return keyInput;
}

export interface StageCommands {
  /** Focuses the stage and resumes, for any actor. */
  begin: () => void;
  /** Makes the person the actor and resumes; called when a key is pressed. */
  takeOver: () => void;
  /** Changes the actor and resumes. */
  handTo: (actor: Actor) => void;
  /** Called when the stage loses the focus: a person's game pauses. */
  leave: () => void;
}

export function useStageCommands(
  client: SessionClient,
  stage: RefObject<HTMLElement | null>,
): StageCommands {
  return useMemo(() => {
    const isPerson = () => client.state.get().actor === "person";
    const goOn = () => {
      if (!client.state.get().playing) client.play();
    };
    const begin = () => {
      stage.current?.focus({ preventScroll: true });
      client.play(); // whatever the page believes: a pause may be under way to the session
    };
    return {
      begin,
      takeOver: () => {
        if (!isPerson()) client.setActor("person");
        goOn();
      },
      handTo: (actor) => {
        client.setActor(actor);
        if (actor === "person") begin();
        else client.play();
      },
      leave: () => {
        if (isPerson() && client.state.get().playing) client.pause();
      },
    };
  }, [client, stage]);
}
