import type { Metadata } from "next";
import { Suspense } from "react";
import { PageHeader } from "@/shell/page-header";
import { PlayView } from "./play-view";

export const metadata: Metadata = { title: "Play" };

export default function PlayPage() {
  return (
    <Suspense fallback={<PageHeader title="Play" />}>
      <PlayView />
    </Suspense>
  );
}
