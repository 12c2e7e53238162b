/** The package as users get it: packed, and installed into folders that know nothing of this repository. */
export interface Packed {
  readonly tarball: string
  /** A folder in which `npm install <tarball>` was run, and nothing else. */
  readonly user: string
  /** The package inside it. */
  readonly package: string
  /** A folder with other compilers and Node's types, for those who want them. */
  readonly tools: string
}

/** What the user's folder is to look like after `npm install`: the package, its dependencies, its peers, and theirs. */
export const installed = [
  'commander',
  'fp-ts',
  'io-ts',
  'lossless-json',
  'picocolors',
  'rxjs',
  'svc-streams',
  'tinyqueue',
  'tslib',
  'undici',
  'ws',
]

export const doors = [
  'svc-streams',
  'svc-streams/operators',
  'svc-streams/testing',
  'svc-streams/recording',
  'svc-streams/simulator',
] as const

/** The module of `src` behind a door. */
export const sourceOf = (door: string): string =>
  door === 'svc-streams' ? 'index.ts' : `${door.slice('svc-streams/'.length)}/index.ts`

declare module 'vitest' {
  interface ProvidedContext {
    readonly packed: Packed
  }
}
