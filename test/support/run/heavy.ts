/**
 * The test files that `npm run test:soak` runs and `npm test` does not: they start many processes, servers or pages, or wait
 * for real time, and `npm test` stays below two minutes on two cores. Each capability keeps at least one test over real
 * sockets in `npm test`. The matrix of the runtimes runs these files too.
 */
const heavyFiles: readonly string[] = [
  // Programs of users, each in a process of its own.
  'docs/programs',
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
  // Chromium: `browser/prices` and `dashboard/page/table` stay in `npm test`.
  'browser/bounded-age',
  'browser/frozen-page',
  'browser/hidden-tab',
  'browser/interleavings',
  'browser/lost-connections',
  'browser/recording',
  'browser/requests-and-close',
  'dashboard/page/chart',
  'dashboard/page/command',
  'dashboard/page/readability',
  'dashboard/page/states',
  // Commands in processes, on terminals, and with signals.
  'cli/commands/demo',
  'cli/commands/exit',
  'cli/commands/nats-flag',
  'cli/commands/parity',
  'cli/commands/record-files',
  'cli/commands/walk-forward',
  'cli/commands/watch-failures',
  'cli/commands/watch-terminal',
  'sweep/failures',
  // Thousands of topics, or minutes of real time.
  'gateway/connection-memory',
  'operators/allocations',
  'promises/descriptors',
  'promises/gateway-slow-consumers',
  'promises/scale',
]

export const isHeavy = (file: string): boolean => heavyFiles.some((each) => file === `test/${each}.test.ts`)
