import type { ReactNode } from "react";

interface PictureLayoutProps {
  /** The picture. */
  picture: ReactNode;
  /** Controls and caption; beside the picture, or below it on narrow screens. */
  children: ReactNode;
}

export function PictureLayout({ picture, children }: PictureLayoutProps) {
  return (
    <div className="grid gap-x-8 gap-y-4 lg:grid-cols-[minmax(0,1fr)_18.5rem]">
      <div className="min-w-0">{picture}</div>
      <div className="flex min-w-0 flex-col gap-4 lg:pt-4">{children}</div>
    </div>
  );
}
