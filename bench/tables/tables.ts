import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'
import { backtests } from './backtest.js'
import { browserPages } from './browser.js'
import { dashboardDesk, dashboardPage } from './dashboard.js'
import { dayOfPrices } from './day.js'
import { depthPolls } from './depth-polls.js'
import { depthRequests } from './depth-requests.js'
import { exports, inspections } from './export.js'
import { firstPrice } from './first-price.js'
import { fanOut } from './fan-out.js'
import { gatewayMemory } from './gateway-memory.js'
import { growth } from './growth.js'
import { historyRanges } from './history.js'
import { historyRequests } from './history-requests.js'
import { hostileTexts } from './hostile-texts.js'
import { imports } from './import.js'
import { joins } from './joins.js'
import { latency } from './latency.js'
import { lineCosts } from './lines.js'
import { livePrices, manyLivePrices } from './live-prices.js'
import { memory } from './memory.js'
import { depthDecoding, depthSigning } from './operations.js'
import { nats } from './nats.js'
import { operatorCosts } from './operators.js'
import { replayedDepths, replays } from './replay.js'
import { recordedPrices } from './record.js'
import { startUp } from './start-up.js'
import { accountDurations, sweepCosts, sweepDurations } from './sweep.js'
import { subscriberCounts } from './subscribers.js'
import { timers } from './timers.js'

interface Table {
  readonly title: string
  readonly measure: (settings: Settings) => Promise<Section>
}

/** All tables, by the name that `--only` takes, in the order of the results. */
export const tables: Readonly<Record<string, Table>> = {
  live: { title: 'Live prices', measure: livePrices },
  'live-topics': { title: 'Live prices of 10,000 topics', measure: manyLivePrices },
  lines: { title: 'A second line', measure: lineCosts },
  growth: { title: 'Cost as work grows', measure: growth },
  subscribers: { title: 'Subscribers to one topic', measure: subscriberCounts },
  joins: { title: 'Joining and leaving', measure: joins },
  memory: { title: 'Memory of a live topic', measure: memory },
  latency: { title: 'Latency', measure: latency },
  timers: { title: 'Timers during a burst', measure: timers },
  requests: { title: 'Depth: one request', measure: depthRequests },
  signing: { title: 'Depth: signing', measure: depthSigning },
  decoding: { title: 'Depth: decoding a body', measure: depthDecoding },
  texts: { title: 'Texts of 1 MiB', measure: hostileTexts },
  polls: { title: 'Depth: polls of 1000 mints', measure: depthPolls },
  operators: { title: 'Operators', measure: operatorCosts },
  record: { title: 'Recording', measure: recordedPrices },
  replay: { title: 'Replay', measure: replays },
  'replay-depths': { title: 'Replay of depths', measure: replayedDepths },
  day: { title: 'A day of prices', measure: dayOfPrices },
  history: { title: 'A part of the past', measure: historyRanges },
  'history-requests': { title: 'Requests for the past', measure: historyRequests },
  import: { title: 'Import of a CSV file', measure: imports },
  export: { title: 'Export to Parquet', measure: exports },
  inspect: { title: 'Inspection of a recording', measure: inspections },
  'fan-out': { title: 'Fan-out of a gateway', measure: fanOut },
  sweep: { title: 'Sweep: one strategy with eight parameters', measure: sweepDurations },
  'sweep-rx': { title: 'Sweep: 64 parameters beside a plain Rx loop', measure: sweepCosts },
  account: { title: 'Sweep: an account on paper', measure: accountDurations },
  backtest: { title: 'Backtest', measure: backtests },
  nats: { title: 'A gateway on NATS', measure: nats },
  'gateway-memory': { title: 'Memory of a connection of a gateway', measure: gatewayMemory },
  'start-up': { title: 'Start-up', measure: startUp },
  'first-price': { title: 'First price', measure: firstPrice },
  browser: { title: 'In a browser', measure: browserPages },
  dashboard: { title: 'The page of the dashboard', measure: dashboardPage },
  desk: { title: 'The dashboard for five minutes', measure: dashboardDesk },
}
