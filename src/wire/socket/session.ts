import { Observable, Subject, Subscription } from 'rxjs'
import { causeOf } from '../../base/errors/failure-cause.js'
import { responsiveDeadline } from '../../base/time/timers.js'
import {
  noCloseFrame,
  unboundedPayload,
  type ResponseHead,
  type SocketListener,
  type WebSocketTransport,
} from '../transport/ports.js'
import { drainTimeout$, GuardedSocket, lost$, SentPings, type Prober } from './guarded-socket.js'
import { Lag, type LagConfig, type LagListener, type MeasuredConnection } from './lag.js'

/** Times are in ms. */
export interface SessionConfig extends LagConfig {
  readonly transport: WebSocketTransport
  readonly url: string
  readonly connectTimeout: number
  readonly pingInterval: number
  readonly pongTimeout: number
  readonly maxFrameBytes: number
  /** Returns the number of the next connection. */
  readonly nextEpoch: () => number
}

/** Receives the frames of a session. Plain calls instead of an Observable, because this is the hot path. */
export interface FrameSink extends LagListener {
  /** A text frame as bytes. Returns true if it is handled as a price; otherwise `onText` receives it. */
  onBytes(memory: Uint8Array, start: number, end: number): boolean
  onText(frame: string): void
  onBinary(frame: Uint8Array): void
}

export type SessionEvent = { readonly _tag: 'Opened'; readonly session: Session } | LostEvent

export interface LostEvent {
  readonly _tag: 'Lost'
  readonly code: number
  readonly reason: string
  /** The HTTP response, if it refused the upgrade. */
  readonly refusal: ResponseHead | undefined
}

/**
 * One socket from its dial to its end: emits `Opened` if it opens, then `Lost`, then completes. Terminates a socket that does not
 * open in time, that receives nothing after a ping or probe, or that does not drain. Unsubscribing closes the socket.
 */
export const session$ = (config: SessionConfig, sink: FrameSink, prober: Prober): Observable<SessionEvent> =>
  new Observable((subscriber) => {
    const { clock, transport, url, maxFrameBytes, connectTimeout } = config
    const dialledAt = clock.elapsed()
    const timers = new Subscription()
    let session: Session | undefined
    timers.add(() => (session = undefined))
    const hasEnded = (): boolean => timers.closed

    const emitLost = (code: number, reason: string, refusal?: ResponseHead): void => {
      timers.unsubscribe()
      subscriber.next({ _tag: 'Lost', code, reason, refusal })
      subscriber.complete()
    }

    const terminate = (reason: string): void => {
      if (hasEnded()) return
      // Before `terminate()`, which may report the close synchronously: the first close reason wins.
      timers.unsubscribe()
      socket.terminate()
      emitLost(noCloseFrame, reason)
    }

    /** An exception of the transport is a transport failure. */
    const onException = (thrown: unknown): void => {
      terminate(causeOf(thrown).message)
    }

    const listener: SocketListener = {
      opened: () => {
        if (hasEnded()) return
        dialTimeout.unsubscribe()
        const connectMs = clock.elapsed() - dialledAt
        const opened = new Session(config, sink, prober, socket, connectMs, timers, terminate)
        session = opened
        subscriber.next({ _tag: 'Opened', session: opened })
        if (!hasEnded()) opened.lag.start()
      },
      bytes: (memory, start, end) => session?.onBytes(memory, start, end) ?? false,
      text: (frame) => session?.onText(frame),
      binary: (frame) => session?.onBinary(frame),
      alive: () => session?.onAlive(),
      pong: (payload) => session?.onPong(payload),
      closed: (code, reason, refusal) => {
        if (!hasEnded()) emitLost(code, reason, refusal)
      },
    }

    let socket: GuardedSocket
    try {
      socket = new GuardedSocket(transport.dial(url, { maxFrameBytes }, listener), onException)
    } catch (thrown) {
      return emitLost(noCloseFrame, causeOf(thrown).message)
    }
    const onTimeout = () => terminate(`not open within ${connectTimeout} ms`)
    const dialTimeout = responsiveDeadline(clock, connectTimeout, onTimeout)
    timers.add(dialTimeout)

    return () => {
      timers.unsubscribe()
      socket.close()
    }
  })

/** An open socket. */
export class Session implements MeasuredConnection {
  /** Changes when the connection comes to the front of several lines. */
  epoch: number
  /** Since the Unix epoch. */
  readonly since: number
  /** Monotonic. */
  readonly openedAt: number
  readonly hasPings: boolean
  readonly lag: Lag
  /** False if the price under delivery is now too old. */
  readonly mayDeliver: () => boolean
  /** The number of prices so far: those that the sink handled as bytes, and those that it counts in `onText`. */
  prices = 0
  private otherFrames = 0
  /** True from a pong with `unboundedPayload` to the next one. */
  private isUnbounded = false
  private readonly pings = new SentPings()
  private readonly wake$ = new Subject<void>()

  /** `connectMs`: time from the dial to the opening. `timers`: unsubscribed when the session ends. */
  constructor(
    private readonly config: SessionConfig,
    private readonly sink: FrameSink,
    private readonly prober: Prober,
    readonly socket: GuardedSocket,
    readonly connectMs: number,
    timers: Subscription,
    readonly terminate: (reason: string) => void,
  ) {
    const { clock, pongTimeout, probeSupport, nextEpoch } = config
    const { hasPings } = socket
    const { activityCount, probe, wake$ } = this
    this.epoch = nextEpoch()
    this.since = clock.wallClock()
    this.openedAt = clock.elapsed()
    this.hasPings = hasPings
    const lag = new Lag(config, this, sink)
    this.lag = lag
    this.mayDeliver = () => lag.isInTime(clock.elapsedInTick?.())
    const isConclusive = () => hasPings || probeSupport.isProven || prober.isConclusive()
    const silence$ = lost$({ ...config, hasPings, activityCount, probe, isConclusive, wake$ })
    timers.add(() => lag.stop())
    timers.add(
      silence$.subscribe(() => {
        terminate(`no frame within ${pongTimeout} ms of a ${hasPings ? 'ping' : 'probe'}`)
      }),
    )
    timers.add(
      drainTimeout$(config, socket, activityCount).subscribe(() => {
        terminate(`the socket did not drain within ${pongTimeout} ms`)
      }),
    )
  }

  readonly activityCount = (): number => this.prices + this.otherFrames

  isMeasurable(): boolean {
    return this.hasPings || this.prober.isRecognisable()
  }

  measure(): boolean {
    return this.isMeasurable() && this.probe()
  }

  /** False if data that have arrived may be out of date, by the transport or by `maxLag`. */
  isUpToDate(): boolean {
    return this.socket.isCurrent() && this.lag.isInTime()
  }

  /** Probes immediately. The socket is terminated if nothing arrives within `pongTimeout`. */
  wake(): void {
    this.wake$.next()
  }

  onBytes(memory: Uint8Array, start: number, end: number): boolean {
    // Before the sink is called: its subscribers may read the count.
    this.prices++
    if (this.sink.onBytes(memory, start, end)) return true
    this.prices--
    this.otherFrames++
    return false
  }

  onText(frame: string): void {
    this.otherFrames++
    this.sink.onText(frame)
  }

  onBinary(frame: Uint8Array): void {
    this.otherFrames++
    this.sink.onBinary(frame)
  }

  onAlive(): void {
    this.otherFrames++
  }

  onPong(payload: unknown): void {
    this.otherFrames++
    if (payload === unboundedPayload) {
      this.isUnbounded = true
      return
    }
    const sentAt = this.pings.onPong(typeof payload === 'string' ? payload : undefined)
    if (sentAt !== undefined) this.lag.onAnswer(sentAt, !this.isUnbounded)
    this.isUnbounded = false
  }

  private readonly probe = (): boolean => {
    const { socket, prober } = this
    if (!socket.hasPings) return prober.probe(socket)
    // Recorded before it is sent: a transport may report the answer at once.
    socket.ping(this.pings.onPing(this.config.clock.elapsed()))
    return true
  }
}
