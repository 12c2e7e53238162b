/** The packed package, installed into temporary folders outside this repository. */
export interface Packed {
  readonly tarball: string
  /** The folder of a user program: only `npm install <tarball>` was run in it. */
  readonly user: string
  /** As `user`, with the optional peers and `streamLibraries`. */
  readonly withPeers: string
  /** The folder of the installed package, inside `user`. */
  readonly package: string
  /** A folder with the package and the bundlers. */
  readonly bundlers: string
  /** A folder with the oldest compiler and the types of Node. */
  readonly tools: string
}

/** The packages in `node_modules` of `user`: the package, its dependencies and peers, and their dependencies. */
export const installed = [
  '@noble',
  'ansi-regex',
  'commander',
  'fp-ts',
  'get-east-asian-width',
  'hyparquet',
  'hyparquet-writer',
  'io-ts',
  'papaparse',
  'picocolors',
  'rxjs',
  'string-width',
  'strip-ansi',
  'svc-streams',
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
  'svc-streams/store',
  'svc-streams/history',
  'svc-streams/paper',
  'svc-streams/simulator',
  'svc-streams/gateway',
  'svc-streams/nats',
  'svc-streams/sweep',
  'svc-streams/opentelemetry',
] as const

/** The optional peer that an entry point needs. */
export const optionalPeers: Readonly<Partial<Record<(typeof entryPoints)[number], string>>> = {
  'svc-streams/nats': '@nats-io/transport-node',
  'svc-streams/opentelemetry': '@opentelemetry/api',
}

/** Other libraries of streams, as arguments of `npm install`. */
export const streamLibraries: readonly string[] = ['effect@4', 'rxjs-9@npm:rxjs@9.0.0-beta.0']

/** The folder in which an entry point can be imported. */
export const folderFor = (entryPoint: (typeof entryPoints)[number], { user, withPeers }: Packed): string =>
  optionalPeers[entryPoint] === undefined ? user : withPeers

declare module 'vitest' {
  interface ProvidedContext {
    readonly packed: Packed
  }
}
