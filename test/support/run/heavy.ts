/**
 * The test files that `npm run test:soak` runs and `npm test` does not: they start many processes, servers or pages, or wait
 * for real time, and `npm test` stays below two minutes on two cores. Each capability keeps at least one test over real
 * sockets in `npm test`. The matrix of the runtimes runs these files too.
 */
const heavyFiles: readonly string[] = [
  // Programs of users, each in a process of its own, and all code of the documentation.
  'docs/programs',
  'docs/snippets',
  'examples/examples',
  'examples/python',
  'opentelemetry/gateway-memory',
  // Faults of NATS servers, gateways and consumers, which stop, die and are cut off.
  'nats/attacks',
  'nats/clock-jumps',
  'nats/consumer-failures',
  'nats/descriptors',
  'nats/gateway-failures',
  'nats/history/fail-over',
  'nats/history/failures',
  'nats/interleavings',
  'nats/max-payload',
  'nats/nats-failures',
  'nats/permissions',
  'nats/silent-server',
  'nats/slow-machine',
  // Chromium: `browser/prices`, `dashboard/page/table` and `dashboard/page/threshold` stay in `npm test`.
  'browser/bounded-age',
  'browser/frozen-page',
  'browser/hidden-tab',
  'browser/interleavings',
  'browser/lost-connections',
  'browser/recording',
  'browser/requests',
  'browser/requests-and-close',
  'dashboard/page/chart',
  'dashboard/page/command',
  'dashboard/page/past',
  'dashboard/page/readability',
  'dashboard/page/rendering',
  'dashboard/page/states',
  // Commands in processes, on terminals, and with signals.
  'cli/actions/completion',
  'cli/commands/demo',
  'cli/commands/exit',
  'cli/commands/gateway',
  'cli/commands/nats-flag',
  'cli/commands/parity',
  'cli/commands/record-files',
  'cli/commands/sweep',
  'cli/commands/walk-forward',
  'cli/commands/watch-failures',
  'cli/commands/watch-terminal',
  'cli/doctor/tls',
  'gateway/history/history-folder',
  'recording/record/killed-process',
  'sweep/failures',
  'sweep/lifetime',
  // Thousands of topics, or minutes of real time.
  'gateway/connection-memory',
  'operators/allocations',
  'errors/kept-texts',
  'promises/bounded-age',
  'promises/descriptors',
  'promises/gateway-slow-consumers',
  'promises/liveness',
  'promises/nothing-left',
  'promises/safety',
  'promises/scale',
  'transport/ws/frame-tap-network',
]

export const isHeavy = (file: string): boolean => heavyFiles.some((each) => file === `test/${each}.test.ts`)
