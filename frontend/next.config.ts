import path from "node:path";
import type { NextConfig } from "next";

const config: NextConfig = {
  // The service serves `out/` itself; Node is needed to build, never to run.
  output: "export",
  reactStrictMode: true,
  typescript: { ignoreBuildErrors: true }, // `make lint` checks types
  agentRules: false,
  devIndicators: false,
  // The development server answers under either name of this machine.
  allowedDevOrigins: ["127.0.0.1"],
  turbopack: { root: path.resolve(import.meta.dirname) },
};

export default config;
