"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";

/** A link whose page is loaded ahead only once the pointer or the focus is on it. */
export function HoverLink({ onPointerEnter, onFocus, ...rest }: ComponentProps<typeof Link>) {
  const [near, setNear] = useState(false);
  return (
    <Link
      {...rest}
      prefetch={near ? null : false}
      onPointerEnter={(event) => {
        setNear(true);
        onPointerEnter?.(event);
      }}
      onFocus={(event) => {
        setNear(true);
        onFocus?.(event);
      }}
    />
  );
}
