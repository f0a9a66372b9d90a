import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { goTo } from "@/lib/testing/navigation";
import { SavedViews, savedViews } from "./saved-views";

test("the address is saved under a name and replaced by the next view of that name", async () => {
  goTo("/compare?runs=a,b");
  render(<SavedViews isEmpty={false} />);
  await userEvent.click(screen.getByRole("button", { name: "Views" }));
  const save = async () => {
    await userEvent.type(screen.getByLabelText("Save this view as"), "Mine");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
  };
  await save();
  goTo("/compare?runs=c,d");
  await save();
  expect(savedViews.get()).toEqual([{ name: "Mine", search: "?runs=c,d" }]);
  await userEvent.click(screen.getByRole("button", { name: "Delete the view Mine" }));
  expect(savedViews.get()).toEqual([]);
});

test("an invalid view is left out", () => {
  localStorage.setItem("rlviz.compare.views", '[{"name": 3}, null, {"name": "x", "search": ""}]');
  expect(savedViews.get()).toEqual([{ name: "x", search: "" }]);
});
