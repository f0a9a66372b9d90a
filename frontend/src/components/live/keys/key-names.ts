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
