/**
 * The platform's `AbortSignal`, where its types are there (Node's, or a browser's): the declarations compile without
 * them too.
 */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Platform } }
  ? Platform
  : object
