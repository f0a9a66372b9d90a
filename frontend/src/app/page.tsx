import { Suspense } from "react";
import { Home, HomeSkeleton } from "@/screens/home/home";

export default function HomePage() {
  return (
    <Suspense fallback={<HomeSkeleton />}>
      <Home />
    </Suspense>
  );
}
