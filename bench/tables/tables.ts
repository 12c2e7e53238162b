import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'
import { backtests } from './backtest.js'
import { browserPages } from './browser.js'
import { dashboardDesk, dashboardPage } from './dashboard.js'
import { dayOfPrices } from './day.js'
import { depthPolls } from './depth-polls.js'
import { depthRequests } from './depth-requests.js'
import { exports } from './export.js'
import { firstPrice } from './first-price.js'
import { fanOut } from './fan-out.js'
import { gatewayMemory } from './gateway-memory.js'
import { growth } from './growth.js'
import { historyRanges } from './history.js'
import { hostileTexts } from './hostile-texts.js'
import { imports } from './import.js'
import { joins } from './joins.js'
import { latency } from './latency.js'
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

/** All tables, by the name that `--only` takes, in the order of the results. */
export const tables: Readonly<Record<string, (settings: Settings) => Promise<Section>>> = {
  live: livePrices,
  'live-topics': manyLivePrices,
  growth,
  subscribers: subscriberCounts,
  joins,
  memory,
  latency,
  timers,
  requests: depthRequests,
  signing: depthSigning,
  decoding: depthDecoding,
  texts: hostileTexts,
  polls: depthPolls,
  operators: operatorCosts,
  record: recordedPrices,
  replay: replays,
  'replay-depths': replayedDepths,
  day: dayOfPrices,
  history: historyRanges,
  import: imports,
  export: exports,
  'fan-out': fanOut,
  sweep: sweepDurations,
  'sweep-rx': sweepCosts,
  account: accountDurations,
  backtest: backtests,
  nats,
  'gateway-memory': gatewayMemory,
  'start-up': startUp,
  'first-price': firstPrice,
  browser: browserPages,
  dashboard: dashboardPage,
  desk: dashboardDesk,
}
