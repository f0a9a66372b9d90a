export { createKeptStore } from "./kept-store";
export { Listeners } from "./listeners";
export { createStore, type ReadableStore, type Store } from "./store";
export { useStore, useStoreValue } from "./use-store";
