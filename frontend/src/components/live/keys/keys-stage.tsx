"use client";

import clsx from "clsx";
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId } from "react";
import type { KeyInput } from "@/lib/session/key-input";

interface KeysStageProps {
  ref: RefObject<HTMLDivElement | null>;
  /** Focus the stage when it is mounted. */
  takesFocus?: boolean;
  /** Null: keys are ignored. */
  keyInput: KeyInput | null;
  /** Name of what is played, for screen readers. */
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
        While this has the focus, the keys listed below play. Escape leaves and pauses.
      </span>
    </div>
  );
}
