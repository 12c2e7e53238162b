import type { Address, Topic } from '../../base/domain/topic.js'
import { type LineSnapshot, behindMsOf, type ConnectionStatus } from '../../base/domain/snapshot.js'
import type { Host } from '../../wire/socket/reconnecting.js'
import { stateNames } from './connection-snapshot.js'
import { PriceConnection, type PriceConnectionConfig } from './price-connection.js'
import { hasCurrentPrice, type SubscribedTopic } from './topics.js'

export interface LineConfig extends PriceConnectionConfig {
  readonly maxTopicsPerConnection: number
}

/** One of the lines of a client: the connections that carry all wanted topics, usually one. */
export class Line {
  readonly connections: PriceConnection[] = []
  /** The number of prices at the last check for silence. */
  private countedPrices = 0
  /** Since when another line has a price that this one lacks, and this one had none: monotonic, in ms. */
  private silentSince = Infinity
  /** True after the gateway has announced that it will close the connections. */
  isDraining = false

  constructor(private readonly config: LineConfig) {}

  /** That of its first connection. */
  get host(): Host {
    const { hosts, firstHost } = this.config
    return this.connections[0]?.host ?? hosts[firstHost] ?? hosts[0]
  }

  /** When its first connection opened, monotonic, in ms; `undefined` while it is not open. */
  get openedAt(): number | undefined {
    return this.connections[0]?.session?.openedAt
  }

  /** The states of all topics. */
  get topics(): readonly SubscribedTopic[] {
    return this.connections.flatMap(({ topics }) => [...topics.values()])
  }

  get status(): ConnectionStatus {
    const [first = idle, ...others] = this.connections.map(({ status }) => status)
    return others.reduce((worst, status) => (severityOf(status) > severityOf(worst) ? status : worst), first)
  }

  get phase(): LinePhase {
    let isReady = true
    for (const { status, session } of this.connections) {
      if (status._tag === 'Idle') continue
      if (session === undefined)
        return status._tag === 'Connecting' && status.attempt === 1 ? 'connecting' : 'waiting'
      const { lag } = session
      const isCurrent = lag.isInTime() || lag.isHolding
      if (lag.isBehind || (lag.isMeasured && !isCurrent)) return 'behind'
      isReady &&= lag.isMeasured
    }
    if (this.status._tag === 'Idle') return 'connecting'
    if (this.isSilent) return 'silent'
    return isReady ? 'ready' : 'open'
  }

  get liveTopics(): number {
    return this.topics.filter(hasCurrentPrice).length
  }

  /** The upper bound of the age of the prices, in ms; `undefined` if it is unknown. */
  get lagMs(): number | undefined {
    const lags = this.connections.flatMap(({ session }) => session?.lag.ms ?? [])
    return lags.length === 0 ? undefined : Math.max(...lags)
  }

  snapshot(isFront: boolean): LineSnapshot {
    const { status, host, lagMs = null } = this
    const state = behindMsOf(status) === undefined ? stateNames[status._tag] : 'behind'
    return { url: host.shownUrl, state, isFront, lagMs }
  }

  get prices(): number {
    return this.connections.reduce((sum, { session }) => sum + (session?.prices ?? 0), 0)
  }

  connectionOf(base: Address): PriceConnection | undefined {
    return this.connections.find((connection) => connection.topics.has(base))
  }

  /** The connection of the topic, or the first connection with a free slot, or a new connection. */
  connectionFor(base: Address, topic: Topic): PriceConnection {
    return (
      this.connectionOf(base) ??
      this.connections.find((connection) => this.hasRoom(connection, topic)) ??
      this.addConnection()
    )
  }

  /** Requests a topic without a subscriber. */
  want(base: Address, topic: Topic): SubscribedTopic {
    return this.connectionFor(base, topic).want(base, topic)
  }

  topic(base: Address): SubscribedTopic | undefined {
    return this.connectionOf(base)?.topics.get(base)
  }

  /**
   * Updates how long the line has had no price, although another one has a later price that differs. While no other line has
   * current prices, nothing is known.
   */
  checkSilence(lines: readonly Line[]): void {
    const { prices } = this
    const others = lines.filter((line) => line !== this)
    const hasPrices = prices !== this.countedPrices
    this.countedPrices = prices
    if (!hasPrices && others.some((line) => this.lacksPriceOf(line)))
      this.silentSince = Math.min(this.silentSince, this.config.clock.elapsed())
    else if (hasPrices || others.some(({ phase }) => phase === 'ready')) this.silentSince = Infinity
  }

  close(): void {
    for (const connection of this.connections) connection.close()
  }

  /** Equal prices do not count: in a quiet market, the last price of a slower line is later, and a new one repeats it. */
  private lacksPriceOf(line: Line): boolean {
    return line.topics.some((state) => {
      const own = this.topic(state.base)
      const isOlder = own !== undefined && own.lastActivityAt < state.lastActivityAt
      return isOlder && hasCurrentPrice(state) && own.price !== state.price
    })
  }

  private get isSilent(): boolean {
    const { clock, maxLag } = this.config
    return clock.elapsed() - this.silentSince >= maxLag
  }

  private hasRoom({ topics }: PriceConnection, topic: Topic): boolean {
    const { maxTopicsPerConnection, maxFrameBytes } = this.config
    return topics.size < maxTopicsPerConnection && topics.hasRoomFor(topic, maxFrameBytes)
  }

  private addConnection(): PriceConnection {
    const connection = new PriceConnection(this.config)
    this.connections.push(connection)
    return connection
  }
}

const idle: ConnectionStatus = { _tag: 'Idle' }

/** The rank of a connection that is behind: between open and connecting. */
const behindSeverity = 1.5

const severity: Readonly<Record<ConnectionStatus['_tag'], number>> = {
  Idle: 0,
  Open: 1,
  Connecting: 2,
  Waiting: 3,
  Closed: 4,
}

const severityOf = (status: ConnectionStatus): number =>
  behindMsOf(status) !== undefined ? behindSeverity : severity[status._tag]

/**
 * What decides which line is in front. `connecting`: the first dial. `open`: no probe is answered yet. `ready`: the prices
 * are current. `behind`: they may be older than `maxLag`. `silent`: no price within `maxLag` after a price of another line.
 * `waiting`: the last dial failed, or the connection is lost.
 */
export type LinePhase = 'connecting' | 'open' | 'ready' | 'behind' | 'silent' | 'waiting'

export type LineState = Pick<Line, 'phase' | 'liveTopics' | 'lagMs'>

/**
 * The line that is in front from now on: the present one, unless its prices are not current and another line is ready. Only a
 * line that is ready replaces one that is connected, so that two slow lines do not alternate; a lost one is also replaced by one
 * that is open and has prices. Of several, that with the most live topics, and then the lowest lag. `isPatient`: a dial of the
 * front may go on. It does while no other line has as many live topics: a further connection of the front may be dialled.
 */
export const nextFront = <L extends LineState>(lines: readonly L[], front: L, isPatient: boolean): L => {
  const { phase } = front
  if (phase === 'open' || phase === 'ready' || (isPatient && phase === 'connecting')) return front
  const hasEnough = (line: L): boolean => phase !== 'connecting' || line.liveTopics >= front.liveTopics
  const ready = lines.filter((line) => line.phase === 'ready' && hasEnough(line))
  const isOpen = (line: L): boolean => line.phase === 'open' && line.liveTopics > 0
  const candidates = ready.length === 0 && phase === 'waiting' ? lines.filter(isOpen) : ready
  const [best = front] = candidates.sort(
    (one, other) => other.liveTopics - one.liveTopics || (one.lagMs ?? 0) - (other.lagMs ?? 0),
  )
  return best
}
