"use client";

import { useEffect, useRef } from "react";

/** Calls back after `duration` milliseconds in which it was not paused. The external system is the clock. */
export function useCountdown(duration: number, paused: boolean, onEnd: () => void) {
  const left = useRef(duration);
  const end = useRef(onEnd);
  useEffect(() => {
    end.current = onEnd;
  });
  useEffect(() => {
    if (paused) return;
    const since = performance.now();
    const timer = window.setTimeout(() => end.current(), left.current);
    return () => {
      window.clearTimeout(timer);
      left.current -= performance.now() - since;
    };
  }, [paused]);
}
