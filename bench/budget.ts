import { subscribeAndMeasureCpu } from './measure/bursts.js'
import { withDepthService } from './measure/depth-service.js'
import { withPriceService } from './measure/price-service.js'
import { withRecording } from './server/recording.js'
import { buildLibrary } from './setup/build-library.js'
import { measureDepthRequest } from './tables/depth-requests.js'
import { microsPerTick } from './tables/fan-out.js'
import { readRecording } from './tables/replay.js'

// Fails if one of four costs exceeds its budget: `npm run bench:budget`. Each is the CPU time of the library, relative to that
// of the code that a user would write, in the same run. A cost above its budget is measured again, and the lowest time of each
// candidate counts: other work on the machine only adds.

interface Cost {
  readonly name: string
  /** The highest cost that is allowed: above what a busy machine measures. */
  readonly budget: number
  /** The CPU time of the library and of the other candidate, in any unit. */
  readonly measure: () => Promise<readonly [library: number, other: number]>
}

const inTurn = async (library: () => Promise<number>, other: () => Promise<number>) =>
  [await library(), await other()] as const

const livePrice = () =>
  withPriceService((service) => {
    const measure = (program: string) => () =>
      service.withClient({ program, topics: 1000 }, (client) =>
        subscribeAndMeasureCpu(client, 1000, 4, { frames: 200_000 }),
      )
    return inTurn(measure('svc-streams/default'), measure('hand-written/price-handlers'))
  })

const depthRequest = () =>
  withDepthService((service) => {
    const measure = (client: string) => () =>
      measureDepthRequest(service, client, { warmUpRequests: 15_000, requests: 10_000 })
    return inTurn(measure('svc-streams'), measure('pool-signed'))
  })

const replayedRow = () =>
  withRecording({ rows: 200_000, topics: 10 }, (path) => {
    const measure = (operation: string) => async () => (await readRecording(operation, path)).microseconds
    return inTurn(measure('replay'), measure('by hand'))
  })

const fanOut = () => {
  const measure = (name: 'gateway' | 'by hand') => () => microsPerTick({ name, consumers: 16 }, 200)
  return inTurn(measure('gateway'), measure('by hand'))
}

const costs: readonly Cost[] = [
  { name: 'a live price (`ws`, JSON.parse, a Map = 1)', budget: 0.4, measure: livePrice },
  {
    name: 'a depth request (undici, createHmac, JSON.parse = 1)',
    budget: 1.4,
    measure: depthRequest,
  },
  { name: 'a replayed price (split, JSON.parse, a Map = 1)', budget: 1.1, measure: replayedRow },
  {
    name: 'a gateway with 16 consumers (JSON.stringify and send = 1)',
    budget: 0.3,
    measure: fanOut,
  },
]

/** The most times that a cost is measured. */
const maxMeasurements = 8

const lowestCost = async ({ budget, measure }: Cost): Promise<number> => {
  let [library, other] = [Infinity, Infinity]
  for (let count = 0; count < maxMeasurements && !(library / other <= budget); count++) {
    const measured = await measure()
    library = Math.min(library, measured[0])
    other = Math.min(other, measured[1])
  }
  return library / other
}

await buildLibrary()
const exceeded: string[] = []
for (const each of costs) {
  const { name, budget } = each
  const cost = await lowestCost(each)
  console.log(`${cost.toFixed(3)} of ${budget.toFixed(2)}  ${name}`)
  if (cost > budget) exceeded.push(name)
}
if (exceeded.length > 0) {
  console.error(`above the budget: ${exceeded.join('; ')}`)
  process.exitCode = 1
}
