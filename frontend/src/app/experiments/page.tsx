import type { Metadata } from "next";
import { PageHeader } from "@/components/layout/page-header";
import { Experiments } from "@/features/experiments/experiments";

export const metadata: Metadata = { title: "Experiments" };

export default function ExperimentsPage() {
  return (
    <>
      <PageHeader title="Experiments">
        Several algorithms or settings, each trained with the same seeds and scored on fresh
        episodes: what differs then is what was changed.
      </PageHeader>
      <Experiments />
    </>
  );
}
