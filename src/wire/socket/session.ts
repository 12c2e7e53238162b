import { isLeft, tryCatch, type Either } from 'fp-ts/lib/Either.js'
import { EMPTY, filter, Observable, Subject, Subscription, take } from 'rxjs'
import { causeOf } from '../../base/errors/failure-cause.js'
import { deadline$, delay$, repeated$, responsiveDeadline } from '../../base/time/deadline.js'
import {
  noCloseFrame,
  type ResponseHead,
  type Socket,
  type SocketListener,
  type WebSocketTransport,
} from '../transport/ports.js'
import { checkedListener, checksPerTimeout, GuardedSocket } from './guarded-socket.js'
import { Lag, type LagConfig, type LagListener } from './lag.js'
import { AnswerCounter, lost$, type Prober } from './liveness.js'

/** Times are in ms. */
export interface SessionConfig extends LagConfig {
  readonly transport: WebSocketTransport
  readonly url: string
  readonly connectTimeout: number
  readonly pingInterval: number
  readonly pongTimeout: number
  readonly maxFrameBytes: number
}

/** Receives the frames of a session. Plain calls instead of an Observable, because this is the hot path. */
export interface FrameSink extends LagListener {
  /** The number of prices that `onText` received. */
  readonly textPrices: number
  /** A text frame as bytes. Returns true if it is handled; otherwise `onText` receives it. */
  onBytes(memory: Uint8Array, start: number, end: number): boolean
  onText(frame: string): void
  onBinary(frame: Uint8Array): void
  /** Called when the socket opens, before `Opened`, then every second of real time while it is open. */
  onTick(): void
}

export type SessionEvent = SessionOpenedEvent | LostEvent

export interface SessionOpenedEvent {
  readonly _tag: 'Opened'
  readonly socket: GuardedSocket
  /** The number of frames and pongs received so far. */
  readonly activityCount: () => number
  /** Time since the dial, in ms. */
  readonly connectMs: number
  readonly lag: Lag
  /** Probes immediately. Returns a function that returns true until the answer arrives. */
  readonly probe: () => () => boolean
  /** Probes immediately. The socket is terminated if nothing arrives within `pongTimeout`. */
  readonly wake: () => void
  /** Probes immediately. The socket is terminated if the answer does not arrive within `pongTimeout`. */
  readonly requireAnswer: () => void
  /** True while `requireAnswer` waits for the answer: the next frames may be older than the probe. */
  readonly isAnswerMissing: () => boolean
  /** Called when a probe other than a ping is answered. */
  readonly onAnswer: () => void
  /** See `Socket.isCurrent`. */
  readonly isCurrent: () => boolean
  /** False if the price under delivery is now too old, by `lag` or by `Socket.isInTime`. */
  readonly isCurrentNow: () => boolean
  /** The number of frames that the sink handled as bytes so far. */
  readonly bytesCount: () => number
}

export interface LostEvent {
  readonly _tag: 'Lost'
  readonly code: number
  readonly reason: string
  /** The HTTP response, if it refused the upgrade. */
  readonly refusal: ResponseHead | undefined
}

/**
 * One socket from its dial to its end: emits `Opened` if it opens, then `Lost`, then completes. Terminates a socket
 * that does not open in time, that receives nothing after a ping or probe, or that does not drain. Unsubscribing closes
 * the socket.
 */
export const session$ = (config: SessionConfig, sink: FrameSink, prober: Prober): Observable<SessionEvent> =>
  new Observable((subscriber) => {
    /**
     * Frames that the sink handled as bytes, and other frames are counted separately, so that the hot path counts once.
     */
    let handled = 0
    let received = 0
    const activityCount = () => handled + received
    const timers = new Subscription()
    const answers = new AnswerCounter()
    const wake$ = new Subject<void>()
    const dialledAt = config.clock.elapsed()
    let lag: Lag | undefined

    const emitLost = (code: number, reason: string, refusal?: ResponseHead): void => {
      timers.unsubscribe()
      subscriber.next({ _tag: 'Lost', code, reason, refusal })
      subscriber.complete()
    }

    const terminate = (reason: string): void => {
      if (timers.closed) return
      // Before `terminate()`, which may report the close synchronously: the first close reason wins.
      timers.unsubscribe()
      socket.terminate()
      emitLost(noCloseFrame, reason)
    }

    const probe = (): boolean => {
      const now = config.clock.elapsed()
      if (socket.hasPings) {
        // Recorded before it is sent: a transport may report the answer at once.
        socket.ping(answers.onProbe(now))
        return true
      }
      const isRecognisable = prober.isRecognisable()
      if (!prober.probe()) return false
      answers.onProbe(now, isRecognisable)
      return true
    }

    const onAnswer = (payload?: string): void => {
      const sentAt = answers.onAnswer(payload)
      if (sentAt !== undefined) lag?.onAnswer(sentAt)
    }

    /** Probes. `maxFramesPerSecond` may delay the probe of a socket without pings: then its answer is awaited all the same. */
    const probeAndCount = (): number => (!probe() && prober.isRecognisable() ? 1 : 0)

    const requireAnswer = (): void => {
      const isAwaited = answers.await(probeAndCount())
      const { clock, pongTimeout } = config
      const answerMissing$ = deadline$(clock, pongTimeout, activityCount).pipe(filter(isAwaited))
      timers.add(
        answerMissing$.subscribe(() => {
          terminate(`no answer within ${pongTimeout} ms after a suspend or freeze`)
        }),
      )
    }

    /** An exception of the transport is a transport failure. */
    const onException = (thrown: unknown): void => {
      terminate(causeOf(thrown).message)
    }

    const listener: SocketListener = {
      opened: () => {
        if (subscriber.closed) return
        dialTimeout.unsubscribe()
        const { hasPings, isInTime } = socket
        const connectMs = config.clock.elapsed() - dialledAt
        const isMeasurable = () => hasPings || prober.isRecognisable()
        const measure = () => isMeasurable() && probe()
        const pricesBefore = sink.textPrices
        const hasPrices = () => handled + sink.textPrices > pricesBefore
        const measured = {
          hasPings,
          connectMs,
          activityCount,
          hasPrices,
          isMeasurable,
          measure,
          terminate,
        }
        const started = new Lag(config, measured, sink)
        lag = started
        timers.add(() => started.stop())
        const isConclusive = () => hasPings || prober.isConclusive()
        timers.add(
          lost$({ ...config, hasPings, activityCount, probe, isConclusive, wake$ }).subscribe(() => {
            terminate(`no frame within ${config.pongTimeout} ms of a ${hasPings ? 'ping' : 'probe'}`)
          }),
        )
        timers.add(
          drainTimeout$(config, socket, activityCount).subscribe(() => {
            terminate(`the socket did not drain within ${config.pongTimeout} ms`)
          }),
        )
        timers.add(tick$(config).subscribe(() => sink.onTick()))
        // A suspend from before the socket opened is detected here: it has no effect on frames of this socket.
        sink.onTick()
        subscriber.next({
          _tag: 'Opened',
          socket,
          activityCount,
          connectMs,
          lag: started,
          probe: () => answers.missing(probeAndCount()),
          wake: () => wake$.next(),
          requireAnswer,
          isAnswerMissing: () => answers.isPending,
          onAnswer,
          isCurrent: socket.isCurrent,
          isCurrentNow:
            isInTime === undefined ? started.isCurrentNow : () => started.isCurrentNow() && isInTime(),
          bytesCount: () => handled,
        })
        if (!timers.closed) started.start()
      },
      bytes: (memory, start, end) => {
        // Before the sink is called: its subscribers may read the count.
        handled++
        if (!subscriber.closed && sink.onBytes(memory, start, end)) return true
        handled--
        received++
        return false
      },
      text: (frame) => {
        received++
        if (!subscriber.closed) sink.onText(frame)
      },
      binary: (frame) => {
        received++
        if (!subscriber.closed) sink.onBinary(frame)
      },
      alive: () => {
        received++
      },
      pong: (payload) => {
        received++
        if (!subscriber.closed) onAnswer(typeof payload === 'string' ? payload : undefined)
      },
      closed: (code, reason, refusal) => {
        if (!timers.closed) emitLost(code, reason, refusal)
      },
    }

    const dialled = dial(config, checkedListener(listener, onException))
    if (isLeft(dialled)) return emitLost(noCloseFrame, dialled.left)
    const socket = new GuardedSocket(dialled.right, onException)
    const onTimeout = () => terminate(`not open within ${config.connectTimeout} ms`)
    const dialTimeout = responsiveDeadline(config.clock, config.connectTimeout, onTimeout)
    timers.add(dialTimeout)

    return () => {
      timers.unsubscribe()
      socket.close()
    }
  })

/** Left: the reason of a failed dial, if the transport throws. */
const dial = (
  { transport, url, maxFrameBytes }: SessionConfig,
  listener: SocketListener,
): Either<string, Socket> =>
  tryCatch(
    () => transport.dial(url, { maxFrameBytes }, listener),
    (thrown) => causeOf(thrown).message,
  )

/** Emits every second of real time. */
const tick$ = ({ clock }: SessionConfig): Observable<unknown> =>
  clock.isVirtual ? EMPTY : repeated$(delay$(clock, 1000))

/** Emits once, when the unsent bytes of the socket are not written within `pongTimeout`. */
const drainTimeout$ = (
  { clock, pongTimeout }: SessionConfig,
  socket: GuardedSocket,
  activityCount: () => number,
): Observable<unknown> =>
  socket.reportsUnsentBytes
    ? repeated$(deadline$(clock, pongTimeout / checksPerTimeout, activityCount)).pipe(
        filter(() => socket.hasStalled()),
        take(1),
      )
    : EMPTY
