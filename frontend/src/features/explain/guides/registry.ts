import dynamic from "next/dynamic";
import { type ComponentType, createElement } from "react";
import { patiently } from "@/lib/service";
import type { GuideProps } from "../guide/guide-page";
import { GuideSkeleton } from "../guide/guide-skeleton";

export interface GuideEntry {
  /** The algorithm's id in the API. */
  id: string;
  name: string;
  Guide: ComponentType<GuideProps>;
}

type Module = { default: ComponentType<GuideProps> };

/** Loads a guide's code when it is first rendered. */
const lazy = (load: () => Promise<Module>) =>
  dynamic(patiently(load), { ssr: false, loading: () => createElement(GuideSkeleton) });

export const guides: readonly GuideEntry[] = [
  { id: "ppo", name: "PPO", Guide: lazy(() => import("./ppo")) },
  { id: "dqn", name: "DQN", Guide: lazy(() => import("./dqn")) },
  { id: "a2c", name: "A2C", Guide: lazy(() => import("./a2c")) },
  { id: "sac", name: "SAC", Guide: lazy(() => import("./sac")) },
  { id: "td3", name: "TD3", Guide: lazy(() => import("./td3")) },
  { id: "qrdqn", name: "QR-DQN", Guide: lazy(() => import("./qrdqn")) },
  { id: "trpo", name: "TRPO", Guide: lazy(() => import("./trpo")) },
  { id: "q-learning", name: "Q-learning", Guide: lazy(() => import("./q-learning")) },
];
