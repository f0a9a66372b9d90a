"use client";

import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "./button";

const CONFIRMED_FOR = 1500;

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    window.setTimeout(() => setCopied(false), CONFIRMED_FOR);
  };
  const Icon = copied ? Check : Copy;
  return (
    <Button
      size="sm"
      variant="quiet"
      aria-label={label}
      onClick={() => void copy()}
      icon={<Icon aria-hidden className="size-3.5" />}
    >
      <span aria-live="polite">{copied ? "Copied" : "Copy"}</span>
    </Button>
  );
}
