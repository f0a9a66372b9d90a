import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";
import { goTo, push } from "@/lib/testing/navigation";

// What is loaded on demand takes its time on a busy machine; a test that passes waits no longer for this.
configure({ asyncUtilTimeout: 15_000 });

// Files share the modules that they import, so each test leaves the page as it found it.
afterEach(() => {
  cleanup();
  push.mockReset();
  goTo("/");
  window.localStorage.clear();
});

// jsdom has no media queries; uPlot asks for one when it is loaded.
window.matchMedia ??= (media) =>
  Object.assign(new EventTarget(), { media, matches: false }) as unknown as MediaQueryList;

// jsdom lays nothing out and draws nothing.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
// A promise, as in new versions of Chromium: an effect that returns it has a clean-up that is no function.
Element.prototype.scrollIntoView ??= async () => {};
HTMLCanvasElement.prototype.getContext = () => null;

// Finding an element by role asks for the style of every element. jsdom reads its style sheet for each answer, which
// took most of the tests' time. Tests have no style sheets, so these properties follow from the element alone.
const computed = window.getComputedStyle.bind(window);
const displays = new Map<string, string>();

function displayOf(element: Element): string {
  if (element instanceof HTMLElement && element.style.display) return element.style.display;
  if (element.hasAttribute("hidden")) return "none";
  const kind = `${element.localName} ${element.getAttribute("type") ?? ""} ${element.hasAttribute("open")}`;
  let display = displays.get(kind);
  if (display === undefined) displays.set(kind, (display = computed(element).display));
  return display;
}

/** The value of a property that elements inherit and only their own `style` sets. */
function inherited(element: Element, property: "visibility" | "pointerEvents", initial: string) {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const own = (at as HTMLElement).style[property];
    if (own && own !== "inherit") return own;
  }
  return initial;
}

const KNOWN: Record<string, (element: Element) => string> = {
  display: displayOf,
  visibility: (element) => inherited(element, "visibility", "visible"),
  pointerEvents: (element) => inherited(element, "pointerEvents", "auto"),
  content: () => "",
};
KNOWN["pointer-events"] = KNOWN.pointerEvents!;

window.getComputedStyle = (element) =>
  new Proxy({} as CSSStyleDeclaration, {
    get(_, property) {
      if (typeof property === "string" && property in KNOWN) return KNOWN[property]!(element);
      if (property === "getPropertyValue")
        return (name: string) => KNOWN[name]?.(element) ?? computed(element).getPropertyValue(name);
      return Reflect.get(computed(element), property) as unknown;
    },
  });
