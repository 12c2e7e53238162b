import { getEventListeners } from 'node:events'
import { filter, firstValueFrom, type Observable } from 'rxjs'
import { createClient, type Client, type Topic } from 'svc-streams'
import { nextTurn } from '../../support/time/event-loop.js'
import { startServiceThread } from '../../support/network/service-thread.js'

// Runs a cycle thousands of times and prints the growth of the heap per cycle. Run it with `--no-opt --no-sparkplug
// --no-flush-bytecode`, because compiled code on the heap would change the figure.

const [scenario = ''] = process.argv.slice(2)
const warnings: string[] = []
process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`))

const service = await startServiceThread()
const options = { environment: 'mainnet' as const, ...service.addresses, linger: 0, confirmTimeout: 50 }
const abort = new AbortController()

const createReconnectingClient = (): Client =>
  createClient({ ...options, reconnect: { initialDelay: 1, maxDelay: 1 } })

const topicOf = (index: number): Topic => `svc-0x${index.toString(16)}`

interface Cycle {
  readonly cyclesInRound: number
  readonly cycle: (index: number) => Promise<unknown> | undefined
  readonly end: () => Promise<unknown>
}

const scenarios: Readonly<Record<string, () => Promise<Cycle>>> = {
  'streams with other subscribers': async () => {
    const client = createReconnectingClient()
    const streams = [
      client.price$(topicOf(1)),
      client.depth$('0xab', 1000),
      client.errors$,
      client.status$,
    ] as const
    const subscribeAll = () => streams.map((stream$) => (stream$ as Observable<unknown>).subscribe())
    subscribeAll()
    await firstPrice(client)
    const cycle = (index: number) => {
      for (const subscription of subscribeAll()) subscription.unsubscribe()
      return index % 20 === 0 ? nextTurn() : undefined
    }
    return { cyclesInRound: 1000, cycle, end: client.close }
  },
  'price$ without other subscribers': async () => {
    const client = createReconnectingClient()
    client.price$(topicOf(1)).subscribe()
    await firstPrice(client)
    const cycle = (index: number) => {
      const subscription = client.price$(topicOf(2 + (index % 100))).subscribe()
      // In some cycles the subscribe frame has been sent.
      if (index % 4 === 0) return nextTurn().then(() => subscription.unsubscribe())
      subscription.unsubscribe()
      return undefined
    }
    return { cyclesInRound: 1000, cycle, end: client.close }
  },
  // Each aborted request costs a connection, and the number of connections of a machine is limited.
  'depth$ without other subscribers': async () => {
    const client = createReconnectingClient()
    const cycle = async (index: number) => {
      const subscription = client.depth$('0xab', 1000).subscribe()
      if (index % 2 === 0) await nextTurn()
      subscription.unsubscribe()
    }
    return { cyclesInRound: 100, cycle, end: client.close }
  },
  'a depth$ that lingers': async () => {
    const client = createClient({ ...options, linger: 600_000 })
    await firstValueFrom(client.depth$('0xab', 600_000))
    const cycle = (index: number) => {
      client.depth$('0xab', 600_000).subscribe().unsubscribe()
      return index % 20 === 0 ? nextTurn() : undefined
    }
    return { cyclesInRound: 1000, cycle, end: client.close }
  },
  reconnects: async () => {
    const client = createReconnectingClient()
    client.price$(topicOf(1)).subscribe()
    client.price$(topicOf(2)).subscribe()
    await firstPrice(client)
    const cycle = async () => {
      const down = firstValueFrom(client.status$.pipe(filter(({ _tag }) => _tag !== 'Open')))
      await service.run({ name: 'terminate' })
      await down
      await firstPrice(client)
    }
    return { cyclesInRound: 100, cycle, end: client.close }
  },
  'clients that share a signal': async () => {
    const cycle = async () => {
      const client = createClient({ ...options, signal: abort.signal })
      client.price$(topicOf(1)).subscribe()
      await client.close()
    }
    return { cyclesInRound: 100, cycle, end: async () => undefined }
  },
}

/** Resolves at the next price. */
const firstPrice = (client: Client): Promise<unknown> =>
  firstValueFrom(client.price$(topicOf(1)).pipe(filter(({ _tag }) => _tag === 'Right')))

const countResources = (): number => process.getActiveResourcesInfo().length

/** Used heap in bytes, after closing sockets have closed. `remaining`: number of resources that remain. */
const measureHeap = async (remaining: number): Promise<number> => {
  do await nextTurn()
  while (countResources() > remaining)
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const { cyclesInRound, cycle, end } = await scenarios[scenario]!()
const remaining = countResources()
const samples: number[] = []
for (let rounds = 0; rounds < 10; rounds++) {
  for (let index = 0; index < cyclesInRound; index++) await cycle(index)
  samples.push(await measureHeap(remaining))
}
// The first rounds are a warm-up. A leak raises the minimum of the later rounds and also each round. A single lazy
// allocation raises only the minimum, and memory that a timer releases later raises only some rounds.
const ofMinimum = (Math.min(...samples.slice(6)) - Math.min(...samples.slice(2, 6))) / 4
const increases = samples.slice(3).map((sample, index) => sample - samples[index + 2]!)
const ofMedianRound = increases.sort((a, b) => a - b)[Math.floor(increases.length / 2)]!
const growth = Math.min(ofMinimum, ofMedianRound)
await end()
console.log(
  JSON.stringify({
    bytesPerCycle: Math.round(growth / cyclesInRound),
    warnings,
    listeners: getEventListeners(abort.signal, 'abort').length,
  }),
)
await service.close()
