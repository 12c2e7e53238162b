import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { Depth, DepthError } from 'svc-streams'
import type { SimulatedProcess } from '../world/process.js'
import type { World } from '../world/world.js'
import type { ClientTimes } from './ledger.js'

/** The default of the library, and the factor by which a blocked event loop may stretch it. */
const requestTimeout = 5_000
const maxStretch = 4

/** The parts of its maximum between which a wait that draws 1/2 is. */
const shortestEvenPart = 0.49
const longestEvenPart = 0.51

/** Times are rounded to ms. */
const roundingMs = 1

/** What the event loop takes, in ms. Time in which a handler blocks it is not counted. */
const slackMs = 50

/** A late subscriber has the latest result by then, in ms. */
const replayMs = 1_000

/** A subscriber of a poll. */
export interface PollSubscriber {
  readonly mint: string
  /** In the time in which the process was running, in ms. */
  readonly joinedAt: number
  /** True if the poll had a result when it joined. */
  readonly isLate: boolean
  hasResult: boolean
}

/** All requests of one mint: each mint has polls of one interval. */
interface MintRequests {
  readonly interval: number
  readonly subscribers: Set<PollSubscriber>
  /** When the last subscriber has left: by the clock of the process, and in the time in which it was running, in ms. */
  idleAt: number
  idleAtActive: number
  /** The next request starts at these times at the earliest, by the clock of the process, in ms. */
  earliestByInterval: number
  earliestByFailures: number
  /** By when it starts, by both: in the time in which the process was running, in ms. */
  dueByInterval: number
  dueByFailures: number
  /** Since when a request is in flight, in the same time. */
  inFlightSince: number | undefined
  /** When the last request was sent, by the clock of the process, in ms. */
  sentAt: number
  /** When the last one has ended, by the clock of the process, in ms. */
  endedAt: number
  /** True if the last request has ended, and no subscriber has received its result. */
  isUnread: boolean
  /** True if a subscriber of the poll has received a result. */
  hasResult: boolean
  /** Of the mint, in a row, as far as subscribers have received them. */
  failures: number
  /** True if the client may count more failures, which no subscriber has received. */
  hasUnread: boolean
  failedAt: number
}

type DepthResult = Either<DepthError, Depth>

/** The polls of a client: `docs/reference/guarantees.md`, depth. Only records, and keeps the first problem. */
export class Polls {
  private readonly byMint = new Map<string, MintRequests>()
  private problem: string | undefined

  constructor(
    private readonly world: World,
    private readonly process: SimulatedProcess,
    private readonly times: ClientTimes,
  ) {}

  /** Called before the poll is subscribed to. */
  onJoin(mint: string, interval: number): PollSubscriber {
    const { now, activeMs } = this.process
    const poll = this.byMint.get(mint) ?? createMintRequests(interval)
    this.byMint.set(mint, poll)
    if (poll.subscribers.size === 0) {
      if (now - poll.idleAt >= this.times.linger) this.onNewPoll(poll)
      poll.dueByInterval = Math.max(poll.dueByInterval, activeMs)
    }
    const subscriber = { mint, joinedAt: activeMs, isLate: poll.hasResult, hasResult: false }
    poll.subscribers.add(subscriber)
    return subscriber
  }

  onLeave(subscriber: PollSubscriber): void {
    const poll = this.byMint.get(subscriber.mint)
    if (poll?.subscribers.delete(subscriber) !== true || poll.subscribers.size > 0) return
    poll.idleAt = this.process.now
    poll.idleAtActive = this.process.activeMs
  }

  /** All subscribers of a poll receive each result, and late ones the latest. */
  onResult(subscriber: PollSubscriber, result: DepthResult): void {
    subscriber.hasResult = true
    const poll = this.byMint.get(subscriber.mint)!
    poll.hasResult = true
    if (!poll.isUnread) return
    poll.isUnread = false
    if (isLeft(result)) this.onFailure(poll, result.left)
    else this.onSuccess(poll)
  }

  onRequest(path: string, isRepeated: boolean): void {
    const poll = this.pollOf(path)
    if (poll === undefined) return
    const { now, activeMs } = this.process
    poll.inFlightSince = activeMs
    poll.sentAt = now
    // The request before it has no result.
    if (isRepeated) poll.isUnread = false
    if (isRepeated) return
    const early = Math.max(poll.earliestByInterval, poll.earliestByFailures) - now
    if (poll.subscribers.size === 0) this.report(`${path} is requested without subscribers`)
    if (early > roundingMs) this.report(`${path} is requested ${early} ms early`)
    poll.earliestByInterval = now + poll.interval
    poll.dueByInterval = activeMs + poll.interval
  }

  onRequestEnd(path: string, status: number | undefined): void {
    const poll = this.pollOf(path)
    if (poll === undefined) return
    const { now, activeMs } = this.process
    poll.inFlightSince = undefined
    poll.isUnread = true
    poll.endedAt = now
    poll.dueByInterval = Math.max(poll.dueByInterval, activeMs)
    // A later response is no value: the client asks once more, and a second one is a `Timeout`.
    const isInTime = now - poll.sentAt < this.times.maxLag - slackMs
    if (status === 200 && isInTime) return this.onSuccess(poll)
    if (poll.subscribers.size > 0) return
    poll.hasUnread = true
    poll.dueByFailures = Math.max(poll.dueByFailures, activeMs + this.times.maxDelay)
  }

  /** What is wrong at this time, if anything is. */
  check(): string | undefined {
    for (const [mint, poll] of this.byMint) {
      const problem = this.problem ?? this.problemOf(poll)
      if (problem !== undefined) return `depth of ${mint}: ${problem}`
    }
    return undefined
  }

  private problemOf(poll: MintRequests): string | undefined {
    const { subscribers, inFlightSince, idleAtActive } = poll
    const { activeMs } = this.process
    const dueBy = Math.max(poll.dueByInterval, poll.dueByFailures)
    if (inFlightSince !== undefined) {
      const took = activeMs - inFlightSince
      if (took > maxStretch * requestTimeout + slackMs) return `a request is in flight for ${took} ms`
      const idleMs = activeMs - idleAtActive
      if (subscribers.size === 0 && idleMs > this.times.linger + slackMs)
        return `a request is in flight ${idleMs} ms after the last subscriber has left`
    } else if (subscribers.size > 0 && activeMs > dueBy + slackMs)
      return `no request was sent for ${activeMs - dueBy} ms after it was due`
    for (const { isLate, hasResult, joinedAt } of subscribers)
      if (isLate && !hasResult && activeMs - joinedAt > replayMs)
        return 'a late subscriber has not received the latest result'
    return undefined
  }

  /** The last one has ended. The failures of the mint outlive it for a time. */
  private onNewPoll(poll: MintRequests): void {
    poll.earliestByInterval = poll.dueByInterval = -Infinity
    poll.hasResult = poll.isUnread = false
    if (this.process.now - poll.failedAt < this.times.maxDelay) return
    poll.failures = 0
    poll.hasUnread = true
  }

  private onFailure(poll: MintRequests, error: DepthError): void {
    const { initialDelay, maxDelay } = this.times
    poll.failures++
    poll.failedAt = poll.endedAt
    const bound = Math.min(maxDelay, initialDelay * 2 ** (poll.failures - 1))
    const requested = Math.min(maxDelay, 'retryAfterMs' in error ? (error.retryAfterMs ?? 0) : 0)
    const { hasEvenDraws } = this.world
    const shortest = Math.max(requested, hasEvenDraws ? bound * shortestEvenPart : 0)
    poll.earliestByFailures = Math.max(poll.earliestByFailures, poll.endedAt + shortest)
    // Then the exact wait of the client is unknown.
    const longest = poll.hasUnread
      ? maxDelay
      : Math.max(requested, hasEvenDraws ? bound * longestEvenPart : bound)
    poll.dueByFailures = Math.max(poll.dueByFailures, this.process.activeMs + longest)
  }

  private onSuccess(poll: MintRequests): void {
    poll.failures = 0
    poll.hasUnread = false
    poll.failedAt = poll.earliestByFailures = poll.dueByFailures = -Infinity
  }

  private pollOf(path: string): MintRequests | undefined {
    return this.byMint.get(path.slice(path.lastIndexOf('/') + 1))
  }

  private report(problem: string): void {
    this.problem ??= problem
  }
}

const createMintRequests = (interval: number): MintRequests => ({
  interval,
  subscribers: new Set(),
  idleAt: -Infinity,
  idleAtActive: 0,
  earliestByInterval: -Infinity,
  earliestByFailures: -Infinity,
  dueByInterval: -Infinity,
  dueByFailures: -Infinity,
  inFlightSince: undefined,
  sentAt: -Infinity,
  endedAt: -Infinity,
  isUnread: false,
  hasResult: false,
  failures: 0,
  hasUnread: false,
  failedAt: -Infinity,
})
