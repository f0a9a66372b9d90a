import { expect, test } from "vitest";
import { storageWords } from "./storage-words";

test.each([
  [
    { title: "", records: true, frames_every: 8, pictures: true, max_bytes: 200e6 },
    "one frame in 8 hashed, 200 MB a run at most",
  ],
  [
    { title: "", records: true, frames_every: 1, pictures: true, max_bytes: 2e9 },
    "every frame hashed, 2 GB a run at most",
  ],
  [
    { title: "", records: false, frames_every: 1, pictures: true, max_bytes: 200e6 },
    "no records unless asked for",
  ],
])("of %j is kept: %s", (profile, words) => expect(storageWords(profile)).toBe(words));
