import type { ConnectionStatus } from 'svc-streams'
import { parseRetryAfter } from '../../../src/wire/codec/http-headers.js'
import { headerOf, type ResponseHead } from '../../../src/wire/transport/ports.js'
import type { SimulatedProcess } from '../world/process.js'
import type { World } from '../world/world.js'
import type { ClientTimes } from './ledger.js'

/** How long a connection must be open before the backoff is reset, in ms. The default of the library. */
const stableAfter = 5_000

/** The maximum number of dials of a client in `dialWindowMs`, for each program that requests topics of it. */
const maxDials = (initialDelay: number): number => Math.max(25, dialWindowMs / (4 * initialDelay))
const dialWindowMs = 10_000

/** A wait that draws 1/2 is this part of its maximum. */
const shortestEvenPart = 0.49
const longestEvenPart = 0.51

/** Times are rounded to ms. */
const roundingMs = 1

/** What the event loop takes until a dial that is due begins, in ms. */
const dialSlackMs = 500

/** The wait after a failed dial or a lost connection. */
interface Wait {
  /** By the clock of the process, in ms. */
  readonly until: number
  /** The same in the time in which the process was running. */
  readonly activeUntil: number
}

/**
 * The dials of a client, the waits between them, and the states in `status$`: `docs/reference/guarantees.md`, connection. Only records,
 * and keeps the first problem.
 */
export class Dials {
  /** The number of connections that have opened: the epoch of the open one. */
  openings = 0
  status: ConnectionStatus = { _tag: 'Idle' }
  problem: string | undefined
  /** When the last dials began, in ms. */
  private readonly times: number[] = []
  /** The number of failures since the last stable connection. */
  private failures = 0
  /** True if a dial has begun since the last failure. */
  private hasDialled = false
  /** When the last dial began that has not opened. By the clock of the process, in ms. */
  private unopenedAt: number | undefined
  private openedAt = 0
  /** What the last refused upgrade requests, in ms; 0 if it requests nothing. */
  private retryAfter = 0
  private wait: Wait | undefined

  constructor(
    private readonly world: World,
    private readonly process: SimulatedProcess,
    private readonly limits: ClientTimes,
  ) {}

  onDial(): void {
    const { now } = this.process
    const { wait, unopenedAt } = this
    if (wait !== undefined && now < wait.until - roundingMs)
      this.report(`dials ${wait.until - now} ms before the end of its wait`)
    const pause = this.world.hasEvenDraws ? this.limits.initialDelay * shortestEvenPart : 0
    if (unopenedAt !== undefined && now < unopenedAt + pause - roundingMs)
      this.report(`dials ${now - unopenedAt} ms after a dial that has not opened`)
    this.times.push(this.world.now)
    this.unopenedAt = now
    this.hasDialled = true
    this.retryAfter = 0
    this.wait = undefined
  }

  onOpened(): void {
    this.openings++
    this.openedAt = this.process.now
    this.unopenedAt = undefined
  }

  /** `wasOpen`: the open connection is closed, rather than one that did not open. */
  onClosed(wasOpen: boolean, refusal: ResponseHead | undefined): void {
    if (wasOpen && this.process.now - this.openedAt >= stableAfter) this.failures = 0
    this.retryAfter =
      refusal === undefined ? 0 : (parseRetryAfter(headerOf(refusal, 'retry-after'), undefined, 0) ?? 0)
  }

  onStatus(status: ConnectionStatus): void {
    this.status = status
    if (status._tag === 'Waiting') this.onWaiting(status.attempt, status.retryInMs)
    if (status._tag === 'Connecting' && status.attempt !== this.failures + 1)
      this.report(`its status is attempt ${status.attempt} after ${this.failures} failures in a row`)
    if (status._tag === 'Open' && status.epoch !== this.openings)
      this.report(`its status is epoch ${status.epoch} on connection ${this.openings}`)
  }

  /** What is wrong at this time, if anything is. `wantedSince`: since when a topic has had subscribers. */
  check(wantedSince: number | undefined, programs: number): string | undefined {
    const { times, world, wait, process, limits } = this
    while (times[0] !== undefined && times[0] < world.now - dialWindowMs) times.shift()
    if (times.length > maxDials(limits.initialDelay) * programs)
      return `${times.length} dials in ${dialWindowMs} ms`
    const isDue = wait !== undefined && wantedSince !== undefined && this.status._tag !== 'Closed'
    const late = isDue ? process.activeMs - Math.max(wait.activeUntil, wantedSince) : 0
    return this.problem ?? (late > dialSlackMs ? `has not dialled for ${late} ms after its wait` : undefined)
  }

  private onWaiting(attempt: number, retryInMs: number): void {
    // Otherwise the wait after an earlier failure goes on.
    if (this.hasDialled) this.onFailure(retryInMs)
    if (attempt !== this.failures)
      this.report(`its status is attempt ${attempt} after ${this.failures} failures in a row`)
    const until = this.process.now + retryInMs
    if (this.wait !== undefined && Math.abs(this.wait.until - until) > 2 * roundingMs)
      this.report(`waits ${retryInMs} ms, which ends at another time than its wait before`)
    this.wait ??= { until, activeUntil: this.process.activeMs + retryInMs }
  }

  private onFailure(retryInMs: number): void {
    this.hasDialled = false
    this.failures++
    const { initialDelay, maxDelay } = this.limits
    const { hasEvenDraws } = this.world
    const bound = Math.min(maxDelay, initialDelay * 2 ** (this.failures - 1))
    const requested = Math.min(maxDelay, this.retryAfter)
    const shortest = Math.max(requested, hasEvenDraws ? bound * shortestEvenPart : 0)
    const longest = Math.max(requested, hasEvenDraws ? bound * longestEvenPart : bound)
    if (retryInMs < shortest - roundingMs || retryInMs > longest + roundingMs)
      this.report(
        `waits ${retryInMs} ms after ${this.failures} failures in a row, not ${shortest} to ${longest} ms`,
      )
  }

  private report(problem: string): void {
    this.problem ??= problem
  }
}
