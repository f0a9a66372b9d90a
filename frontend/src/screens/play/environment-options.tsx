"use client";

import clsx from "clsx";
import dynamic from "next/dynamic";
import { useState } from "react";
import type { Environment } from "@/api/types";
import { withRetry } from "@/api/with-retry";
import { setting } from "@/lib/number";
import { Card } from "@/ui/card";
import { Disclosure } from "@/ui/disclosure";
import { Skeleton } from "@/ui/progress";
import type { TypedOptions } from "./option-address";

const OptionsForm = dynamic(
  withRetry(() => import("./options-form").then((module) => module.OptionsForm)),
  {
    loading: () => <Skeleton className="mt-3 h-40" />,
  },
);

interface EnvironmentOptionsProps {
  environment: Environment;
  typed: TypedOptions;
  /** The chosen values of these options. */
  values: Readonly<Record<string, unknown>>;
  onPlay: (typed: TypedOptions) => void;
}

/** How the environment is set, and a form to set it otherwise, which is loaded when it is opened. */
export function EnvironmentOptions({
  environment,
  typed,
  values,
  onPlay,
}: EnvironmentOptionsProps) {
  const [open, setOpen] = useState(false);
  const changed = Object.entries(values);
  return (
    <Card label="Environment options" bodyClass="p-4">
      <Disclosure summary="Options" open={open} onToggle={setOpen}>
        {open && <OptionsForm environment={environment} typed={typed} onPlay={onPlay} />}
      </Disclosure>
      <p
        className={clsx(
          "mt-1 text-xs break-words text-ink-soft",
          changed.length > 0 && "font-mono",
        )}
      >
        {changed.length === 0
          ? "Defaults"
          : changed.map(([name, value]) => `${name} ${setting(value)}`).join(", ")}
      </p>
    </Card>
  );
}
