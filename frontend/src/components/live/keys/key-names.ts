interface KeyName {
  /** What stands on the key. */
  sign: string;
  /** How it is read out. */
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

/** The name of a key, from that of its place: `KeyA`, `Digit1`, `ArrowLeft`. */
export function keyName(code: string): KeyName {
  const sign = code.replace(/^(Key|Digit)/, "");
  return NAMES[code] ?? { sign, name: sign };
}
