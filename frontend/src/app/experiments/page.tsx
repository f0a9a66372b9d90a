import type { Metadata } from "next";
import { Experiments } from "@/screens/experiments/experiments";
import { PageHeader } from "@/shell/page-header";

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
