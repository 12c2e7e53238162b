import { isLeft, tryCatch, type Either } from 'fp-ts/lib/Either.js'
import { filter, mergeMap, Observable, repeat, Subscription, take } from 'rxjs'
import { causeOf } from '../errors/failure-cause.js'
import { deadline, deadline$, delay$ } from '../time/deadline.js'
import type { Socket, SocketListener, WebSocketTransport } from '../transport/ports.js'

export interface SessionConfig {
  readonly transport: WebSocketTransport
  readonly url: string
  /** All in ms. */
  readonly connectTimeout: number
  readonly pingInterval: number
  readonly pongTimeout: number
  readonly maxFrameBytes: number
}

/** Where a session's frames go, past Rx: the hot path is a plain call. */
export interface FrameSink {
  /** Whether a text frame was dealt with as the bytes that it is. */
  bytes(memory: Uint8Array, start: number, end: number): boolean
  text(frame: string): void
  binary(frame: Uint8Array): void
}

export type SessionEvent =
  | { readonly _tag: 'Opened'; readonly socket: Socket; readonly seen: () => number }
  | { readonly _tag: 'Lost'; readonly code: number; readonly reason: string }

const noCloseFrame = 1006

/**
 * One socket from its dial to its end: `Opened` if it opens, then `Lost`, then completion. A socket that does not
 * open in time, or that no longer shows a sign of life, is cut. Unsubscribing says goodbye.
 */
export const session$ = (config: SessionConfig, sink: FrameSink): Observable<SessionEvent> =>
  new Observable((subscriber) => {
    let signsOfLife = 0
    const seen = () => signsOfLife
    const watch = new Subscription()

    const end = (code: number, reason: string): void => {
      watch.unsubscribe()
      subscriber.next({ _tag: 'Lost', code, reason })
      subscriber.complete()
    }

    const cut = (reason: string): void => {
      // Whatever the socket says of its end from here on, this is why.
      watch.unsubscribe()
      socket.terminate()
      end(noCloseFrame, reason)
    }

    const listener: SocketListener = {
      opened: () => {
        if (subscriber.closed) return
        connecting.unsubscribe()
        watch.add(
          silence$(config, socket, seen).subscribe(() => {
            cut(`no sign of life within ${config.pongTimeout} ms of a ping`)
          }),
        )
        subscriber.next({ _tag: 'Opened', socket, seen })
      },
      bytes: (memory, start, end) => {
        signsOfLife++
        return !subscriber.closed && sink.bytes(memory, start, end)
      },
      text: (frame) => {
        signsOfLife++
        if (!subscriber.closed) sink.text(frame)
      },
      binary: (frame) => {
        signsOfLife++
        if (!subscriber.closed) sink.binary(frame)
      },
      alive: () => {
        signsOfLife++
      },
      closed: (code, reason) => {
        if (!watch.closed) end(code, reason)
      },
    }

    const dialled = dial(config, listener)
    if (isLeft(dialled)) return end(noCloseFrame, dialled.left)
    const socket = dialled.right
    const late = () => cut(`not open within ${config.connectTimeout} ms`)
    const connecting = deadline(config.connectTimeout, late, seen)
    watch.add(connecting)

    return () => {
      watch.unsubscribe()
      socket.close()
    }
  })

/** A transport that throws has opened nothing: why it did is how that attempt ends. */
const dial = (
  { transport, url, maxFrameBytes }: SessionConfig,
  listener: SocketListener,
): Either<string, Socket> =>
  tryCatch(
    () => transport.dial(url, { maxFrameBytes }, listener),
    (thrown) => causeOf(thrown).message,
  )

/** Pings, and emits once when a ping was followed by nothing at all. */
const silence$ = (config: SessionConfig, socket: Socket, seen: () => number): Observable<unknown> =>
  delay$(config.pingInterval).pipe(
    repeat(),
    mergeMap(() => {
      const before = seen()
      socket.ping()
      return deadline$(config.pongTimeout, seen).pipe(filter(() => seen() === before))
    }),
    take(1),
  )
