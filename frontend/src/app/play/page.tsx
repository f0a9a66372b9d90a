import type { Metadata } from "next";
import { Suspense } from "react";
import { PlayView } from "@/screens/play/play-view";
import { PageHeader } from "@/shell/page-header";

export const metadata: Metadata = { title: "Play" };

export default function PlayPage() {
  return (
    <Suspense fallback={<PageHeader title="Play" />}>
      <PlayView />
    </Suspense>
  );
}
