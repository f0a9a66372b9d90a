import { readdirSync } from "node:fs";
import { defineConfig, globalIgnores } from "eslint/config";
import nextVitals from "eslint-config-next/core-web-vitals";
import nextTypescript from "eslint-config-next/typescript";
import prettier from "eslint-config-prettier/flat";

const features = readdirSync(new URL("./src/features", import.meta.url));

/** Imports point down: app → features → components → lib; a feature never imports another. */
const zones = [
  { target: "./src/lib", from: ["./src/components", "./src/features", "./src/app"] },
  { target: "./src/components", from: ["./src/features", "./src/app"] },
  { target: "./src/features", from: ["./src/app"] },
  ...features.map((feature) => ({
    target: `./src/features/${feature}`,
    from: "./src/features",
    except: [`./${feature}`],
  })),
];

export default defineConfig([
  ...nextVitals,
  ...nextTypescript,
  prettier,
  {
    rules: {
      "import/no-restricted-paths": ["error", { zones }],
      "max-lines": ["error", { max: 250, skipBlankLines: true }],
      "@typescript-eslint/consistent-type-imports": "error",
    },
  },
  {
    files: ["src/app/**"],
    rules: { "max-lines": ["error", { max: 120 }] },
  },
  globalIgnores([".next/**", "out/**", "next-env.d.ts", "src/lib/api/schema.d.ts"]),
]);
