import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// What is loaded on demand takes its time on a busy machine; a test that passes waits no longer for this.
configure({ asyncUtilTimeout: 15_000 });

afterEach(cleanup);

// jsdom has no media queries; uPlot asks for one when it is loaded.
window.matchMedia ??= (media) =>
  Object.assign(new EventTarget(), { media, matches: false }) as unknown as MediaQueryList;

// jsdom lays nothing out and draws nothing.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
Element.prototype.scrollIntoView ??= () => undefined;
HTMLCanvasElement.prototype.getContext = () => null;
