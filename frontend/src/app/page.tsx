import { Suspense } from "react";
import { Home } from "@/features/runs/home";
import { HomeSkeleton } from "@/features/runs/home-skeleton";

export default function HomePage() {
  return (
    <Suspense fallback={<HomeSkeleton />}>
      <Home />
    </Suspense>
  );
}
