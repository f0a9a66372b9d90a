import { Suspense } from "react";
import { Home, HomeSkeleton } from "@/features/runs";

export default function HomePage() {
  return (
    <Suspense fallback={<HomeSkeleton />}>
      <Home />
    </Suspense>
  );
}
