"use client";

import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "./button";

const CONFIRMED_FOR = 1500;
const COPIED = "Copied";

/** Browsers offer the clipboard only on secure pages (https or localhost), so it may be missing. */
async function written(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return COPIED;
  } catch {
    return "Select and copy it by hand";
  }
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = async () => {
    setSaid(await written(text));
    window.setTimeout(() => setSaid(null), CONFIRMED_FOR);
  };
  const Icon = said === COPIED ? Check : Copy;
  return (
    <Button
      size="sm"
      variant="quiet"
      aria-label={label}
      onClick={() => void copy()}
      icon={<Icon aria-hidden className="size-3.5" />}
    >
      <span aria-live="polite">{said ?? "Copy"}</span>
    </Button>
  );
}
