import { expect, test } from "vitest";
import { dropPlace, keyMove, movedQueue } from "./queue-order";

const queue = ["a", "b", "c", "d"].map((id) => ({ id }));
const ids = queue.map(({ id }) => id);
const after = (id: string, place: Parameters<typeof movedQueue>[2]) =>
  movedQueue(queue, id, place)
    .map((run) => run.id)
    .join("");

test("a run is shown at its new position before the service responds", () => {
  expect(after("c", { to: "first" })).toBe("cabd");
  expect(after("c", { to: "up" })).toBe("acbd");
  expect(after("c", { to: "down" })).toBe("abdc");
  expect(after("a", { to: "last" })).toBe("bcda");
  expect(after("a", { to: "up" })).toBe("abcd");
  expect(after("d", { before: "b" })).toBe("adbc");
  expect(after("gone", { to: "first" })).toBe("abcd");
});

test("a dropped run takes the position of the run below it", () => {
  const drop = (dragged: string, target: string) => {
    const place = dropPlace(ids, dragged, target);
    return place && after(dragged, place);
  };
  expect(drop("d", "a")).toBe("dabc");
  expect(drop("a", "c")).toBe("bcad");
  expect(drop("a", "d")).toBe("bcda");
  expect(drop("a", "a")).toBeNull();
  expect(drop("gone", "a")).toBeNull();
});

test("arrow keys move by one, Home and End to the ends", () => {
  expect(["ArrowUp", "ArrowDown", "Home", "End", "x"].map(keyMove)).toEqual([
    { to: "up" },
    { to: "down" },
    { to: "first" },
    { to: "last" },
    null,
  ]);
});
