/** A test that fails on a runtime because of a defect or a gap of the runtime. */
export interface KnownFailure {
  /** Names of runtimes, as in `--only`. */
  readonly runtimes: readonly string[]
  readonly file: string
  /** The titles of its groups and its own, separated by ` > `. */
  readonly title: string
  readonly reason: string
}

const deno = (file: string, title: string, reason: string): KnownFailure => ({
  runtimes: ['deno'],
  file,
  title,
  reason,
})

const bun = (file: string, title: string, reason: string): KnownFailure => ({
  runtimes: ['bun'],
  file,
  title,
  reason,
})

const noActiveResources =
  'process.getActiveResourcesInfo() is always empty, so that the test sees no resource'

/** The run fails if one of these tests passes. Each reason was found with a program that does not use this library. */
export const knownFailures: readonly KnownFailure[] = [
  deno(
    'test/wire/transport/undici/undici-transport-dial.test.ts',
    'a TLS connection > resumes the session of an earlier connection',
    'node:tls emits no session, and ignores the option session',
  ),
  deno(
    'test/wire/transport/ws/ws-transport-dial.test.ts',
    'a dial fails > with the errors of all addresses of a host',
    'node:net does not resolve names by dns.lookup, which the test replaces',
  ),
  deno(
    'test/backtest/recording/write/recording-file.test.ts',
    'a compressed recording > has at most a fifth of the size of its text',
    'node:zlib ignores the option dictionary: recordings are valid, but larger',
  ),
  deno(
    'test/cli/commands/replay.test.ts',
    'exits with 0 on SIGINT while it waits for input',
    'a pending read of process.stdin keeps the process alive after destroy()',
  ),
  deno(
    'test/promises/requests/polling.test.ts',
    'a keep-alive connection > that the service resets between two polls causes no error',
    'a socket that is read by its readable event loses data that arrive together with a reset',
  ),
  bun(
    'test/wire/transport/undici/undici-transport-dial.test.ts',
    'a TLS connection > resumes the session of an earlier connection',
    'the sockets of an HTTPS server have no isSessionReused()',
  ),
  bun(
    'test/backtest/sweep/failures.test.ts',
    'a parameter that fails > is a Left if it takes all memory of its thread',
    'node:worker_threads ignores the option resourceLimits',
  ),
  ...[
    'a process exits when the client is > closed, and the service has no open socket',
    'a process exits when the client is > closed during a dial and requests, and the service has no open socket',
    'a process exits when the client is > closed during a reconnect delay, and the service has no open socket',
    'a process exits when the client is > closed while the service does not respond, and the service has no open socket',
    'a process exits during TLS handshakes that never end when the client is > closed, and the service has no open socket',
  ].map((title) => bun('test/promises/nothing-left.test.ts', title, noActiveResources)),
  ...['keeps real time on unsubscribe', 'keeps real time on close()'].map((title) =>
    bun(
      'test/backtest/replay/finite-speed.test.ts',
      `a replay at a finite speed > ${title} inside TestScheduler.run`,
      noActiveResources,
    ),
  ),
]
