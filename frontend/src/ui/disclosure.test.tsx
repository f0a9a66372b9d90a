import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { Disclosure } from "./disclosure";

test("the arrow of a closed disclosure within an open one does not point down", () => {
  const { container } = render(
    <Disclosure summary="outer" open>
      <Disclosure summary="inner">hidden</Disclosure>
    </Disclosure>,
  );
  const [outer, inner] = [...container.querySelectorAll("svg")];
  // As the variant of its class asks.
  const turned = (arrow: Element | undefined) => arrow?.closest("details[open] > summary") !== null;
  expect([turned(outer), turned(inner)]).toEqual([true, false]);
  expect(inner!.getAttribute("class")).toContain("in-[details[open]>summary]:rotate-90");
});
