import { Subject, tap } from 'rxjs'
import { createClient, type Client, type ConnectionStatus } from 'svc-streams'
import { record } from 'svc-streams/recording'
import { memoryWriter } from '../../backtest/recording/support/rows.js'
import { FakeHttp, depthBody } from '../../support/fake-http.js'
import { scriptedSocket, server, type ServerMove } from '../../support/time/scripted-socket.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'
import { before, createEvents } from './events.js'
import { lengthOf, type Market } from './market.js'
import { a, b, interval, mint, type Strategy } from './strategies.js'

/** An event of a stream of the live client, with its time in ms: what a test client is given. */
export interface Emitted {
  readonly at: number
  readonly of: string
  /** Undefined if the stream completes. */
  readonly event: unknown
}

export interface LiveRun {
  readonly lines: readonly string[]
  readonly recording: string
  readonly emitted: readonly Emitted[]
  /** The number of these events before the strategy is subscribed to. */
  readonly emittedBefore: number
  /** The time of the last row of the recording, in ms. A replay ends there. */
  readonly endsAt: number
}

/** Answers depth requests after 20 ms: with the number of the request as the price, or with the status of the market. */
class ScriptedHttp extends FakeHttp {
  status = 200

  constructor(private readonly time: VirtualTime) {
    super()
  }

  override get(...[request, onResult]: Parameters<FakeHttp['get']>): () => void {
    const abort = super.get(request, onResult)
    const number = this.requests.length
    const { status } = this
    this.time.after(20, () => {
      const received = this.request(number)
      if (!received.aborted) received.respond(status, status === 200 ? depthBody(number) : 'not now')
    })
    return abort
  }
}

/** Plays the market to a client: a service that accepts and confirms after 20 ms. */
const playMarket = (market: Market, time: VirtualTime, http: ScriptedHttp) => {
  const move$ = new Subject<ServerMove>()
  let refusals = 0
  let isOpen = false
  const socket = scriptedSocket(() => move$)
  const move = (next: ServerMove): void => {
    isOpen = next._tag === 'Close' ? false : isOpen || next._tag === 'Open'
    move$.next(next)
  }
  socket.dials$.subscribe(() => {
    time.after(20, () => move(refusals-- > 0 ? server.closes(1006) : server.opens))
  })
  socket.sent$.subscribe((frame) => {
    const { method, topic } = JSON.parse(frame) as { readonly method: string; readonly topic: string }
    if (method === 'subscribe') time.after(20, () => isOpen && move(server.confirms(topic)))
  })
  let at = 0
  let prices = 0
  for (const { after, does } of market) {
    at += after
    time.at(at, () => {
      if (does.kind === 'depth fails') http.status = http.status === 200 ? does.status : 200
      if (does.kind === 'drop') refusals = does.refusals
      if (!isOpen) return
      if (does.kind === 'price') move(server.prices(does.topic, ++prices))
      if (does.kind === 'garbage') move(server.says(JSON.stringify({ topic: does.topic, price: 'none' })))
      if (does.kind === 'reject') move(server.says(`unknown topic ${does.topic}`))
      if (does.kind === 'drop') move(server.closes(1012, 'restarting'))
    })
  }
  return socket
}

/** All streams of a client, as events of a test client. */
const emissionsOf = (client: Client, time: VirtualTime, emitted: Emitted[]): void => {
  const add = (of: Emitted['of']) => (event?: unknown) => void emitted.push({ at: time.now(), of, event })
  client.status$.pipe(tap((status: ConnectionStatus) => add('status')(status))).subscribe()
  client.errors$.subscribe(add('error'))
  for (const topic of [a, b]) client.price$(topic).subscribe({ next: add(topic), complete: add(topic) })
  client.depth$(mint, interval).subscribe({ next: add(mint), complete: add(mint) })
}

/** Runs a strategy with a live client, which a recorder records, over sockets and HTTP that are scripted in virtual time. */
export const runLive = (market: Market, strategy: Strategy): LiveRun => {
  const writer = memoryWriter()
  const emitted: Emitted[] = []
  let lines: readonly string[] = []
  let emittedBefore = 0
  const length = lengthOf(market)
  runInVirtualTime(
    (time) => {
      const http = new ScriptedHttp(time)
      const client = createClient({
        environment: 'mainnet',
        baseUrl: 'http://localhost:1',
        priceBaseUrl: 'http://localhost:2',
        authKey: Buffer.alloc(32, 1).toString('base64'),
        webSocket: playMarket(market, time, http),
        http,
        staleAfter: 510,
        confirmTimeout: 310,
        reconnect: { initialDelay: 80, maxDelay: 80 },
      })
      const recorder = record(client, { topics: [a, b], mints: [mint], interval, to: writer })
      emissionsOf(client, time, emitted)
      const events = createEvents(time.now)
      lines = events.lines
      emittedBefore = emitted.length
      strategy(client).subscribe(events.observer)
      time.at(length, () => void recorder.stop())
    },
    { endsAt: length, shortestTimer: 1 },
  )
  const last = JSON.parse(writer.lines.at(-1) ?? '') as { readonly at: number }
  return { lines: before(last.at, lines), recording: writer.text(), emitted, emittedBefore, endsAt: last.at }
}
