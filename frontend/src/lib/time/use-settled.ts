import { useEffect, useRef, useState } from "react";

/** The newest value that has stood still for `ms`; a value that comes after a pause counts at once. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  const changedAt = useRef(-Infinity);
  // External system: a timer.
  useEffect(() => {
    const now = performance.now();
    const isAlone = now - changedAt.current >= ms;
    changedAt.current = now;
    const timer = setTimeout(() => setSettled(value), isAlone ? 0 : ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
