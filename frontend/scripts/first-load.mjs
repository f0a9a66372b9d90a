import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** Gzipped bytes of JavaScript that Home may load before anything is pressed. */
const BUDGET = 260_000;

const out = fileURLToPath(new URL("../out", import.meta.url));
const html = readFileSync(path.join(out, "index.html"), "utf8");
const scripts = [...html.matchAll(/<script\b[^>]*>/g)]
  .map(([tag]) => tag)
  // Browsers that know modules, all that we support, do not load these.
  .filter((tag) => !/\bnomodule\b/i.test(tag))
  .flatMap((tag) => /\bsrc="([^"?]+)/.exec(tag)?.[1] ?? []);
const bytes = [...new Set(scripts)]
  .map((source) => gzipSync(readFileSync(path.join(out, source)), { level: 9 }).length)
  .reduce((sum, size) => sum + size, 0);

const words = `Home loads ${(bytes / 1000).toFixed(1)} kB of gzipped JavaScript first`;
const ok = scripts.length > 0 && bytes <= BUDGET;
process.stdout.write(`${words}, of ${BUDGET / 1000} kB allowed.\n`);
process.exit(ok ? 0 : 1);
