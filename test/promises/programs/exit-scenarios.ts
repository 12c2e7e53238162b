import { once } from 'node:events'
import { connect } from 'node:net'
import { isRight } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom, take, type Observable } from 'rxjs'
import {
  createClient,
  type Client,
  type ConnectionStatus,
  type DepthClientOptions,
  type Topic,
} from 'svc-streams'
import { nextTurn } from '../../support/time/event-loop.js'

// Ends only if the client leaves no open resource, because it never calls `process.exit`. The service is in another process.

/** `readyPort`: a port whose connections the test closes when the scenario may continue. */
const [scenario = '', addresses = '{}', readyPort = '0'] = process.argv.slice(2)
const options = {
  environment: 'mainnet' as const,
  requestTimeout: 600_000,
  connectTimeout: 600_000,
  ...(JSON.parse(addresses) as Pick<
    DepthClientOptions,
    'priceBaseUrl' | 'baseUrl' | 'authKey' | 'priceWsUrl'
  >),
}

const mint = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const topic: Topic = `svc-${mint}`
/** In ms, far longer than the test waits. */
const never = 600_000

const waitForStatus = (client: Client, tag: ConnectionStatus['_tag']): Promise<unknown> =>
  firstValueFrom(client.status$.pipe(filter(({ _tag }) => _tag === tag)))

const firstRight = (events$: Observable<{ readonly _tag: string }>): Promise<unknown> =>
  firstValueFrom(events$.pipe(filter(({ _tag }) => _tag === 'Right')))

/** The resources that keep the event loop alive, such as `TCPSocketWrap` and `Timeout`. */
const resources = (): readonly string[] => process.getActiveResourcesInfo()

/** The current resources without the earlier ones. Node may have closed some of the earlier ones in between. */
const openedSince = (earlier: readonly string[]): readonly string[] => {
  const rest = [...resources()]
  for (const resource of earlier) {
    const index = rest.indexOf(resource)
    if (index >= 0) rest.splice(index, 1)
  }
  return rest
}

/** Uses a client, closes it, and throws if a resource of it remains after the close. */
const closeWithoutLeak = async (client: Client, use: () => Promise<unknown>): Promise<void> => {
  // The first request loads undici, which opens this stream.
  Reflect.get(process, 'stderr')
  const before = resources()
  await use()
  if (openedSince(before).length === 0) throw new Error('the client had no resource')
  await client.close()
  // A destroyed socket counts until the next turns of the event loop. No peer closes it within ten turns.
  for (let turns = 0; turns < 10; turns++) await nextTurn()
  const remaining = openedSince(before)
  if (remaining.length > 0) throw new Error(`open after close(): ${remaining.join()}`)
}

const untilReady = (): Promise<unknown> => once(connect(Number(readyPort), '127.0.0.1').resume(), 'close')

const scenarios: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'without subscribers': async (client) => {
    client.status$.subscribe()
    client.errors$.subscribe()
    await Promise.all([
      firstValueFrom(client.price$(topic).pipe(filter(isRight), take(3))),
      firstRight(client.depth$(mint, 1000)),
      client.price(topic)(),
      client.depth(mint)(),
    ])
  },
  'without subscribers during a reconnect delay': async (client) => {
    const subscription = client.price$(topic).subscribe()
    await waitForStatus(client, 'Waiting')
    subscription.unsubscribe()
  },
  'without subscribers during a dial and requests': async (client) => {
    const subscription = client.price$(topic).subscribe()
    subscription.add(client.depth$(mint, 1000).subscribe())
    await waitForStatus(client, 'Connecting')
    await nextTurn()
    subscription.unsubscribe()
  },
  'without subscribers during TLS handshakes': async (client) => {
    const subscription = client.price$(topic).subscribe()
    subscription.add(client.depth$(mint, 1000).subscribe())
    await untilReady()
    subscription.unsubscribe()
  },
  closed: (client) =>
    closeWithoutLeak(client, async () => {
      client.price$(topic).subscribe()
      client.depth$(mint, 10).subscribe()
      await Promise.all([firstRight(client.price$(topic)), firstRight(client.depth$(mint, 10))])
    }),
  'closed during a dial and requests': (client) =>
    closeWithoutLeak(client, async () => {
      client.price$(topic).subscribe()
      client.depth$(mint, 10).subscribe()
      void client.price(topic)()
      await waitForStatus(client, 'Connecting')
      await nextTurn()
    }),
  'closed during TLS handshakes': (client) =>
    closeWithoutLeak(client, async () => {
      client.price$(topic).subscribe()
      client.depth$(mint, 10).subscribe()
      void client.price(topic)()
      await untilReady()
    }),
  'closed during a reconnect delay': (client) =>
    closeWithoutLeak(client, async () => {
      client.price$(topic).subscribe()
      await waitForStatus(client, 'Waiting')
    }),
  'closed while the service does not respond': (client) =>
    closeWithoutLeak(client, async () => {
      client.price$(topic).subscribe()
      client.depth$(mint, 10).subscribe()
      await waitForStatus(client, 'Open')
    }),
  disposed: async (client) => {
    await using used = client
    used.price$(topic).subscribe()
    used.depth$(mint, 10).subscribe()
    await firstRight(used.price$(topic))
  },
}

const reconnect = { initialDelay: never, maxDelay: never }
const client = createClient({ ...options, reconnect })
process.once('beforeExit', () => console.log('exited'))
await scenarios[scenario]?.(client)
