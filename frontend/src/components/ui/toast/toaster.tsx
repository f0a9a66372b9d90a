"use client";

import { lazy, Suspense, useState } from "react";
import { withRetry } from "@/api/with-retry";
import { useStore } from "@/lib/use-store";
import { toastStore } from "./store";

const ToastViewport = lazy(
  withRetry(() => import("./toast-viewport").then((m) => ({ default: m.ToastViewport }))),
);

/** Shows the messages; rendered once, in the shell. The code is loaded with the first message. */
export function Toaster() {
  const some = useStore(toastStore).length > 0;
  const [used, setUsed] = useState(false);
  if (some && !used) setUsed(true);
  return <Suspense>{used && <ToastViewport />}</Suspense>;
}
