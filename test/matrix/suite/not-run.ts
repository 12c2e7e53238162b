interface NotRun {
  /** A pattern of paths. */
  readonly files: string
  readonly reason: string
}

/** The tests that do not run against the packed package. */
export const notRun: readonly NotRun[] = [
  { files: 'test/browser/**', reason: 'runs the library in Chromium, not in this runtime' },
  { files: 'test/dashboard/page/**', reason: 'runs the page in Chromium, not in this runtime' },
  {
    files: 'test/client/price-feed.test.ts',
    reason: 'reads what a client of the package keeps in a module that is not public',
  },
  {
    files: 'test/opentelemetry/prometheus.test.ts',
    reason:
      'reads the metrics of a module that is not public; test/cli/commands/gateway-operation.test.ts runs',
  },
  {
    files: 'test/backtest/recording/write/client-rows.test.ts',
    reason:
      'reads the positions of prices in a module that is not public; test/backtest/history/seam.test.ts runs',
  },
  {
    files: 'test/operators/past-until-live.test.ts',
    reason:
      'makes streams that withPast knows by a module that is not public; test/backtest/history/seam.test.ts runs',
  },
  {
    files: 'test/operators/candles-with-past.test.ts',
    reason:
      'makes streams that candles knows by a module that is not public; test/backtest/history/seam.test.ts runs',
  },
  {
    files: 'test/operators/store/unknown-state.test.ts',
    reason:
      'makes a stream that does not know its state by a module that is not public; test/client/prices/held-prices.test.ts runs',
  },
  {
    files: 'test/operators/same-as-rx-chains.test.ts',
    reason:
      'runs in virtual time by a module that is not public; test/operators/candles.test.ts and the tests of replays run',
  },
  {
    files: 'test/operators/refill.test.ts',
    reason:
      'makes streams with positions by a module that is not public; test/gateway/history/refill.test.ts runs',
  },
  { files: 'test/docs/**', reason: 'tests the documentation of the repository' },
  {
    files: 'test/opentelemetry/operations.test.ts',
    reason: 'tests docs/operate with Prometheus, which is not installed everywhere',
  },
  {
    files: 'test/independent/**',
    reason: 'runs programs of other projects, which are not installed everywhere',
  },
  { files: 'test/matrix/**', reason: 'tests this table' },
  { files: 'test/package/**', reason: 'packs the package itself; the other columns run its programs' },
  { files: 'test/types/**', reason: 'is compiled, not run; see the column of the types' },
  { files: 'test/**/*.long.test.ts', reason: 'measures the heap of V8 over minutes' },
  { files: 'test/gateway/connection-memory.test.ts', reason: 'measures the heap of V8' },
  { files: 'test/base/option-kinds/doc-comments.test.ts', reason: 'reads the comments of the sources' },
]
