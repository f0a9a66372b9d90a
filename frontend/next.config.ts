import path from "node:path";
import type { NextConfig } from "next";
import { PHASE_PRODUCTION_BUILD } from "next/constants";
import { ROOT_PLACEHOLDER } from "./scripts/root-path.mjs";

export default function config(phase: string): NextConfig {
  const rootPath = phase === PHASE_PRODUCTION_BUILD ? ROOT_PLACEHOLDER : "";
  return {
    // The service serves `out/` itself; Node is needed to build, never to run.
    output: "export",
    basePath: rootPath,
    env: { NEXT_PUBLIC_ROOT_PATH: rootPath },
    // Home is `<root path>/`, not `<root path>`: the latter may be nothing of ours to the proxy.
    skipTrailingSlashRedirect: true,
    reactStrictMode: true,
    typescript: { ignoreBuildErrors: true }, // `make lint` checks types
    agentRules: false,
    devIndicators: false,
    // The development server answers under either name of this machine.
    allowedDevOrigins: ["127.0.0.1"],
    turbopack: { root: path.resolve(import.meta.dirname) },
    experimental: {
      // Few files for the first page that is opened: on one connection, each request costs more than the code it saves.
      turbopackChunking: { priorityRoutes: [/^\/runs\/view$/, /^\/$/], minChunkSize: 150_000 },
    },
  };
}
