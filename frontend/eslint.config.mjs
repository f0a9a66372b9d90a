import { readdirSync } from "node:fs";
import { defineConfig, globalIgnores } from "eslint/config";
import nextVitals from "eslint-config-next/core-web-vitals";
import nextTypescript from "eslint-config-next/typescript";
import prettier from "eslint-config-prettier/flat";

/** The rooms of `src`, lowest first. A module imports from its own room and from those before it. */
const rooms = [
  "lib",
  "api",
  "stream",
  "ui",
  "forms",
  "charts",
  "player",
  "shell",
  "screens",
  "app",
];

/** One folder a page. What several pages use is in `shared`; a page never imports another. */
const screens = readdirSync(new URL("./src/screens", import.meta.url));

const zones = [
  ...rooms.map((room, i) => ({
    target: `./src/${room}`,
    from: rooms.slice(i + 1).map((higher) => `./src/${higher}`),
  })),
  ...screens.map((screen) => ({
    target: `./src/screens/${screen}`,
    from: "./src/screens",
    except: [...new Set([`./${screen}`, "./shared"])],
  })),
];

export default defineConfig([
  ...nextVitals,
  ...nextTypescript,
  prettier,
  {
    rules: {
      "import/no-restricted-paths": ["error", { zones }],
      complexity: ["error", { max: 45 }],
      "@typescript-eslint/consistent-type-imports": "error",
    },
  },
  {
    files: ["src/**"],
    ignores: ["src/ui/hover-link.tsx"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          name: "next/link",
          message: "Use HoverLink: other pages are loaded ahead on hover only.",
        },
      ],
    },
  },
  globalIgnores([
    ".next/**",
    "out/**",
    "next-env.d.ts",
    "src/api/schema.d.ts",
    "src/api/run-action-table.ts",
  ]),
]);
