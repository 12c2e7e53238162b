import { getEventListeners } from 'node:events'
import { filter, firstValueFrom, type Observable } from 'rxjs'
import { createClient, type Client, type Topic } from 'svc-streams'
import { startServiceThread } from '../../support/network/service-thread.js'

// Does something thousands of times, and says what the heap grew by each time. To be run without compiled code, which
// would come and go on the same heap: `--no-opt --no-sparkplug --no-flush-bytecode`.

const [what = ''] = process.argv.slice(2)
const warnings: string[] = []
process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`))

const service = await startServiceThread()
const options = { environment: 'mainnet' as const, ...service.addresses, linger: 0, confirmTimeout: 50 }
const abort = new AbortController()

const start = (): Client => createClient({ ...options, reconnect: { initialDelay: 1, maxDelay: 1 } })

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const topicOf = (index: number): Topic => `svc-0x${index.toString(16)}`

interface Cycle {
  readonly cyclesInRound: number
  readonly cycle: (index: number) => Promise<unknown> | undefined
  readonly end: () => Promise<unknown>
}

const cycles: Readonly<Record<string, () => Promise<Cycle>>> = {
  'streams that others hear': async () => {
    const client = start()
    const streams = [
      client.price$(topicOf(1)),
      client.depth$('0xab', 1000),
      client.errors$,
      client.status$,
    ] as const
    const hear = () => streams.map((stream$) => (stream$ as Observable<unknown>).subscribe())
    hear()
    await firstPrice(client)
    const cycle = (index: number) => {
      for (const subscription of hear()) subscription.unsubscribe()
      return index % 20 === 0 ? turn() : undefined
    }
    return { cyclesInRound: 1000, cycle, end: client.close }
  },
  'price$ of a topic that nobody else hears': async () => {
    const client = start()
    client.price$(topicOf(1)).subscribe()
    await firstPrice(client)
    const cycle = (index: number) => {
      const subscription = client.price$(topicOf(2 + (index % 100))).subscribe()
      // Sometimes the subscribe has been sent by then.
      if (index % 4 === 0) return turn().then(() => subscription.unsubscribe())
      subscription.unsubscribe()
      return undefined
    }
    return { cyclesInRound: 1000, cycle, end: client.close }
  },
  // Each abandoned request costs a connection, of which the machine has only so many.
  'depth$ of a mint that nobody else polls': async () => {
    const client = start()
    const cycle = async (index: number) => {
      const subscription = client.depth$('0xab', 1000).subscribe()
      if (index % 2 === 0) await turn()
      subscription.unsubscribe()
    }
    return { cyclesInRound: 100, cycle, end: client.close }
  },
  reconnects: async () => {
    const client = start()
    client.price$(topicOf(1)).subscribe()
    client.price$(topicOf(2)).subscribe()
    await firstPrice(client)
    const cycle = async () => {
      const down = firstValueFrom(client.status$.pipe(filter(({ _tag }) => _tag !== 'Open')))
      await service.tell({ name: 'drop' })
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

/** A price of the connection that is open now. */
const firstPrice = (client: Client): Promise<unknown> =>
  firstValueFrom(client.price$(topicOf(1)).pipe(filter(({ _tag }) => _tag === 'Right')))

const resources = (): number => process.getActiveResourcesInfo().length

/** What is still used, in bytes, when all that can go has gone: sockets that are being closed too. */
const used = async (lasting: number): Promise<number> => {
  do await turn()
  while (resources() > lasting)
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const { cyclesInRound, cycle, end } = await cycles[what]!()
const lasting = resources()
const samples: number[] = []
for (let rounds = 0; rounds < 10; rounds++) {
  for (let index = 0; index < cyclesInRound; index++) await cycle(index)
  samples.push(await used(lasting))
}
// The first rounds warm up. A leak raises the least of the later ones too; what comes and goes with a timer does not.
const growth = Math.min(...samples.slice(6)) - Math.min(...samples.slice(2, 6))
await end()
console.log(
  JSON.stringify({
    bytesPerCycle: Math.round(growth / (4 * cyclesInRound)),
    warnings,
    listeners: getEventListeners(abort.signal, 'abort').length,
  }),
)
await service.close()
