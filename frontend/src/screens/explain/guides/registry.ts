import dynamic from "next/dynamic";
import { type ComponentType, createElement } from "react";
import { withRetry } from "@/api/with-retry";
import type { GuideProps } from "../guide-page";
import { GuideSkeleton } from "../section";

type Module = { default: ComponentType<GuideProps> };

/** Loads a guide's code when it is first rendered. */
const lazy = (load: () => Promise<Module>) =>
  dynamic(withRetry(load), { ssr: false, loading: () => createElement(GuideSkeleton) });

/** The guide of each algorithm, by its id in the API. One without a guide is described by what the API says of it. */
export const guides: Readonly<Record<string, ComponentType<GuideProps>>> = {
  ppo: lazy(() => import("./ppo")),
  dqn: lazy(() => import("./dqn")),
  a2c: lazy(() => import("./a2c")),
  sac: lazy(() => import("./sac")),
  td3: lazy(() => import("./td3")),
  qrdqn: lazy(() => import("./qrdqn")),
  trpo: lazy(() => import("./trpo")),
  "q-learning": lazy(() => import("./q-learning")),
};
