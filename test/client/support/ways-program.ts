import { Session, type Profiler } from 'node:inspector'
import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Observable } from 'rxjs'
import type { Address } from '../../../src/base/domain/topic.js'
import { nextTurn } from '../../../src/base/time/clock.js'
import { createClient } from '../../../src/client/on-node.js'
import { node } from '../../../src/wire/platform/node.js'
import type { WebSocketTransport } from '../../../src/wire/transport/ports.js'

// Runs in a process of its own, over sources that are compiled one by one: a bundle has no files to count. Prints the
// functions of the library that each way runs, by the file in `src`.

const [, , baseUrl = '', priceBaseUrl = '', priceWsUrl = '', authKey = '', ...tokens] = process.argv

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

type Functions = Readonly<Record<string, readonly string[]>>

/** The functions that have run since the last call. */
const functionsRun = (): Functions => {
  const files: Record<string, readonly string[]> = {}
  // Calls back before it returns.
  session.post(
    'Profiler.takePreciseCoverage',
    (_error, { result }: Profiler.TakePreciseCoverageReturnType) => {
      for (const { url, functions } of result) {
        const [, file] = /\/src\/(.+)\.js$/.exec(url) ?? []
        const run = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        if (file === undefined || run.length === 0) continue
        files[file] = run.map(({ functionName }) => functionName || 'anonymous')
      }
    },
  )
  return files
}

/** The ways to the first value of a stream, and to each of `later` further ones. The stream stays subscribed. */
const waysTo = async (
  stream$: () => Observable<Either<unknown, unknown>>,
  later = 0,
): Promise<readonly [Functions, ...Functions[]]> => {
  // The connection of the last request is free in a later turn.
  await nextTurn()
  const ways: Functions[] = []
  functionsRun()
  await new Promise<void>((resolve) => {
    stream$().subscribe((event) => {
      if (!isRight(event) || ways.length > later) return
      ways.push(functionsRun())
      if (ways.length > later) resolve()
    })
  })
  const [first = {}, ...others] = ways
  return [first, ...others]
}

const ignore = (): void => undefined

/** Called when a frame is handed to the transport. */
let onSend = ignore

/** The default transport. */
const observedTransport = (): WebSocketTransport => {
  const transport = node.webSocketTransport(undefined)
  return {
    dial: (...given) => {
      const socket = transport.dial(...given)
      return {
        get bufferedAmount() {
          return socket.bufferedAmount ?? 0
        },
        send: (frame) => {
          onSend()
          socket.send(frame)
        },
        ping: (payload) => socket.ping?.(payload),
        close: () => socket.close(),
        terminate: () => socket.terminate(),
      }
    },
    close: () => transport.close(),
  }
}

interface PriceWays {
  /** Until the subscribe frame is handed to the transport. */
  readonly subscribe: Functions
  /** From the bytes of the confirmation to the first price of the subscriber. */
  readonly first: Functions
  /** To each further price. */
  readonly prices: readonly Functions[]
}

/** The rest of the turn in which the frame is sent counts to no way. */
const priceWays = async (price$: () => Observable<Either<unknown, unknown>>): Promise<PriceWays> => {
  let subscribe: Functions = {}
  onSend = () => {
    onSend = ignore
    subscribe = functionsRun()
    queueMicrotask(functionsRun)
  }
  const [first, ...prices] = await waysTo(price$, 5)
  return { subscribe, first, prices }
}

/** The way with the fewest files: a timer, such as that of a probe, adds the files that it runs. */
const shortest = (ways: readonly Functions[]): Functions =>
  ways.reduce((best, way) => (Object.keys(way).length < Object.keys(best).length ? way : best))

const [weth = '0x', wbtc = '0x', usdc = '0x'] = tokens as readonly Address[]
const hour = 3_600_000

const runOnce = async (): Promise<Readonly<Record<string, Functions>>> => {
  const urls = { baseUrl, priceBaseUrl, priceWsUrl }
  const client = createClient({ environment: 'mainnet', ...urls, authKey, webSocket: observedTransport() })
  const [firstPoll] = await waysTo(() => client.depth$(weth, hour))
  const [poll] = await waysTo(() => client.depth$(wbtc, hour))
  const dialled = await priceWays(() => client.price$(`svc-${weth}`))
  // A price of the first topic may arrive during the next ways, and runs nothing else.
  const others = [
    await priceWays(() => client.price$(`svc-${wbtc}`)),
    await priceWays(() => client.price$(`svc-${usdc}`)),
  ]
  await client.close()
  return {
    'a depth poll, with the dial': firstPoll,
    'a depth poll': poll,
    'a subscribe, with the dial': dialled.subscribe,
    'a subscribe': shortest(others.map(({ subscribe }) => subscribe)),
    'a confirmation and the first price': shortest(others.map(({ first }) => first)),
    'a price': shortest(others.flatMap(({ prices }) => prices)),
  }
}

const runs = [await runOnce(), await runOnce(), await runOnce()]
const names = Object.keys(runs[0] ?? {})
console.log(
  JSON.stringify(
    Object.fromEntries(names.map((name) => [name, shortest(runs.map((run) => run[name] ?? {}))])),
  ),
)
