import type { ReactNode } from "react";

interface BesideProps {
  /** The picture itself. */
  picture: ReactNode;
  /** What is set and what is said, beside it or below it. */
  children: ReactNode;
}

export function Beside({ picture, children }: BesideProps) {
  return (
    <div className="grid gap-x-8 gap-y-4 lg:grid-cols-[minmax(0,1fr)_18.5rem]">
      <div className="min-w-0">{picture}</div>
      <div className="flex min-w-0 flex-col gap-4 lg:pt-4">{children}</div>
    </div>
  );
}
