/** The packed package, installed into temporary folders outside this repository. */
export interface Packed {
  readonly tarball: string
  /** The folder of a user program: only `npm install <tarball>` was run in it. */
  readonly user: string
  /** The folder of the installed package, inside `user`. */
  readonly package: string
  /** A folder with the package and the bundlers. */
  readonly bundlers: string
  /** A folder with other compilers and the types of Node. */
  readonly tools: string
}

/** The packages in `node_modules` of `user`: the package, its dependencies and peers, and their dependencies. */
export const installed = [
  '@noble',
  'ansi-regex',
  'commander',
  'fp-ts',
  'get-east-asian-width',
  'io-ts',
  'picocolors',
  'rxjs',
  'string-width',
  'strip-ansi',
  'svc-streams',
  'tinyqueue',
  'tslib',
  'undici',
  'ws',
]

export const entryPoints = [
  'svc-streams',
  'svc-streams/browser',
  'svc-streams/operators',
  'svc-streams/testing',
  'svc-streams/recording',
  'svc-streams/simulator',
  'svc-streams/gateway',
] as const

/** The module of an entry point, relative to `src`. */
export const sourceOf = (entryPoint: string): string => {
  const name = entryPoint.slice('svc-streams/'.length)
  if (name === '') return 'index.ts'
  return name === 'browser' ? 'browser.ts' : `${name}/index.ts`
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly packed: Packed
  }
}
