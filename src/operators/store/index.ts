/**
 * Streams of a client as stores for pages: for React's `useSyncExternalStore`, for Svelte, and for scripts without a framework.
 *
 * @module
 */

export {
  depthStore,
  priceStore,
  type CurrentDepth,
  type CurrentPrice,
  type DepthStoreSnapshot,
  type NoCurrentDepth,
  type NoCurrentPrice,
  type PriceStoreSnapshot,
  type Store,
} from './store.js'
