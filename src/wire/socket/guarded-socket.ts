import { EMPTY, filter, merge, mergeMap, type Observable, repeat, take } from 'rxjs'
import type { Address } from '../../base/domain/topic.js'
import type { Clock } from '../../base/time/clock.js'
import { deadline$, delay$ } from '../../base/time/timers.js'
import { type InternalSocket, type Socket } from '../transport/ports.js'

/** From this number of unsent bytes the buffer is full: the client delays further frames. */
const fullBytes = 32_768

/** The number of checks within the drain timeout. */
const checksPerTimeout = 4

/**
 * A socket of a transport. Passes exceptions to `onException`, and detects that its unsent bytes are not written. An operating
 * system may accept no byte until the service has read megabytes, so an answer of the service counts as a written byte.
 */
export class GuardedSocket implements Socket {
  /** The number of unsent bytes after the last send or check. */
  private unsentBytes = 0
  /** True if bytes were written, the service answered, or the buffer was empty, since the last check. */
  private hasDrained = false
  private checksWithoutDrain = 0

  constructor(
    private readonly socket: InternalSocket,
    private readonly onException: (thrown: unknown) => void,
  ) {}

  get bufferedAmount(): number {
    const { bufferedAmount = 0 } = this.socket
    // Also 0 for NaN.
    return bufferedAmount > 0 ? bufferedAmount : 0
  }

  /** True if further frames must wait until the socket has written unsent bytes. */
  get isFull(): boolean {
    return this.try(() => this.bufferedAmount >= fullBytes) ?? true
  }

  get reportsUnsentBytes(): boolean {
    return this.try(() => this.socket.bufferedAmount !== undefined) ?? false
  }

  /** The service has read a frame: it has answered it. */
  onRead(): void {
    this.hasDrained = true
  }

  /** Called `checksPerTimeout` times within the drain timeout. Returns true if the socket must be replaced. */
  hasStalled(): boolean {
    this.try(() => this.measure())
    this.checksWithoutDrain = this.hasDrained ? 0 : this.checksWithoutDrain + 1
    this.hasDrained = false
    return this.checksWithoutDrain >= checksPerTimeout
  }

  send(frame: string): void {
    this.write(() => this.socket.send(frame))
  }

  get hasPings(): boolean {
    return this.socket.ping !== undefined
  }

  ping(payload: string): void {
    this.write(() => this.socket.ping?.(payload))
  }

  /** See `InternalSocket.isCurrent`. */
  isCurrent(base?: Address): boolean {
    return this.try(() => this.socket.isCurrent?.(base)) ?? true
  }

  close(): void {
    this.try(() => this.socket.close())
  }

  terminate(): void {
    this.try(() => this.socket.terminate())
  }

  private write(write: () => void): void {
    this.try(() => {
      this.measure()
      write()
      this.unsentBytes = this.bufferedAmount
    })
  }

  private measure(): void {
    const bytes = this.bufferedAmount
    if (bytes === 0 || bytes < this.unsentBytes) this.hasDrained = true
    this.unsentBytes = bytes
  }

  private try<A>(act: () => A): A | undefined {
    try {
      return act()
    } catch (thrown) {
      this.onException(thrown)
      return undefined
    }
  }
}

/** Emits once, when the unsent bytes of the socket are not written within `pongTimeout`. */
export const drainTimeout$ = (
  { clock, pongTimeout }: Pick<LivenessConfig, 'clock' | 'pongTimeout'>,
  socket: GuardedSocket,
  activityCount: () => number,
): Observable<unknown> =>
  socket.reportsUnsentBytes
    ? deadline$(clock, pongTimeout / checksPerTimeout, activityCount).pipe(
        repeat(),
        filter(() => socket.hasStalled()),
        take(1),
      )
    : EMPTY

/** Configuration of the detection of a lost connection. Times are in ms. */
export interface LivenessConfig {
  readonly clock: Clock
  readonly pingInterval: number
  readonly pongTimeout: number
  readonly hasPings: boolean
  /** Counts the frames and pongs of the socket. */
  readonly activityCount: () => number
  /** Sends a ping, or another frame that the service answers. Returns false if no such frame can be sent. */
  readonly probe: () => boolean
  /** True if silence after a probe shows that the connection is lost. */
  readonly isConclusive: () => boolean
  /** Emits when the connection must be probed immediately. */
  readonly wake$: Observable<void>
}

/** Probes a service over a socket without pings, by frames that it answers. */
export interface Prober {
  /** Sends a frame that the service answers. Returns false if no such frame can be sent. */
  readonly probe: (socket: Pick<Socket, 'send'>) => boolean
  /** True if the answer to the next probe will be recognised. */
  readonly isRecognisable: () => boolean
  /** True if silence after a probe shows that the connection is lost: not every service answers a probe. */
  readonly isConclusive: () => boolean
}

/** Whether a host answers probes. Shared by its connections. */
export interface ProbeSupport {
  isProven: boolean
}

/** The number of times within `pingInterval` at which a socket without pings is checked for silence. */
const samples = 8

/**
 * Probes the service: by a ping every `pingInterval`, or, without pings, after `pingInterval` without a frame. Emits once,
 * when no frame of any kind arrives within `pongTimeout` of a probe that is conclusive.
 */
export const lost$ = (config: LivenessConfig): Observable<unknown> => {
  const { clock, pingInterval, hasPings, wake$, isConclusive } = config
  const due$ = hasPings ? delay$(clock, pingInterval).pipe(repeat()) : silence$(config)
  return merge(due$, wake$).pipe(
    mergeMap(() => silenceAfterProbe$(config)),
    filter(isConclusive),
    take(1),
  )
}

const silenceAfterProbe$ = ({ clock, pongTimeout, activityCount, probe }: LivenessConfig) => {
  const before = activityCount()
  return probe()
    ? deadline$(clock, pongTimeout, activityCount).pipe(filter(() => activityCount() === before))
    : EMPTY
}

/** Emits after each `pingInterval` without a frame. */
const silence$ = ({ clock, pingInterval, activityCount }: LivenessConfig): Observable<unknown> => {
  let count = activityCount()
  let since = clock.elapsed()
  const isSilent = (): boolean => {
    const now = clock.elapsed()
    const isActive = activityCount() !== count
    const isElapsed = !isActive && now - since >= pingInterval
    if (isActive || isElapsed) since = now
    count = activityCount()
    return isElapsed
  }
  return delay$(clock, pingInterval / samples).pipe(repeat(), filter(isSilent))
}

/** The maximum number of pings that are stored until their pong. A pong answers all older pings too. */
const maxUnanswered = 512

/**
 * The pings of one connection that have no pong yet. Frames that the service sent before it received a ping arrive before the
 * pong, so all frames after the pong were sent after the ping. Times are monotonic, in ms.
 */
export class SentPings {
  private readonly unanswered: { readonly id: string; readonly sentAt: number }[] = []
  /** The number of older pings that are no longer stored, and whose pongs are recognised by their order. */
  private dropped = 0
  private lastId = 0

  /** Returns the payload by which the pong is recognised. */
  onPing(sentAt: number): string {
    const id = String(++this.lastId)
    if (this.unanswered.push({ id, sentAt }) > maxUnanswered) {
      this.unanswered.shift()
      this.dropped++
    }
    return id
  }

  /**
   * Returns when the answered ping was sent, or `undefined` if that is unknown. A service may answer only the latest of several
   * pings, and may send pongs that answer no ping. Pongs without a payload are in order.
   */
  onPong(payload?: string): number | undefined {
    if (payload === undefined && this.dropped > 0) {
      this.dropped--
      return undefined
    }
    const answered = payload === undefined ? 0 : this.unanswered.findIndex(({ id }) => id === payload)
    const ping = this.unanswered[answered]
    if (ping === undefined) return undefined
    this.unanswered.splice(0, answered + 1)
    this.dropped = 0
    return ping.sentAt
  }
}
