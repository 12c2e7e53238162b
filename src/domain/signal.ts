/**
 * `AbortSignal` if the types of Node or of a browser are installed, otherwise `object`, so that the declarations compile
 * without either.
 */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Platform } }
  ? Platform
  : object
