// All stylesheets come with every page: those of pages that links lead to would be preloaded, and not used.
import { GeistMono } from "geist/font/mono";
import { GeistSans } from "geist/font/sans";
import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import "@/player/agent/stage.module.css";
import "@/screens/home/list/layout.module.css";
import { earlyScript } from "@/api/early";
import { Providers } from "@/shell/providers";
import { Shell } from "@/shell/shell";
import { themeScript } from "@/shell/theme";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "RL Gym Visualizer", template: "%s · RL Gym Visualizer" },
  description: "Train reinforcement-learning agents, watch them learn and compare runs.",
};

export const viewport: Viewport = { width: "device-width", initialScale: 1, viewportFit: "cover" };

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html
      lang="en"
      className={`${GeistSans.variable} ${GeistMono.variable}`}
      suppressHydrationWarning
    >
      <head>
        <script dangerouslySetInnerHTML={{ __html: themeScript }} />
        <script dangerouslySetInnerHTML={{ __html: earlyScript }} />
      </head>
      <body>
        <Providers>
          <Shell>{children}</Shell>
        </Providers>
      </body>
    </html>
  );
}
