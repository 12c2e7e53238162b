import { asapScheduler, Subject, subscribeOn, type Observable } from 'rxjs'
import type { SocketListener, WebSocketTransport } from 'svc-streams'
import { assertNever } from '../../../src/base/domain/assert-never.js'
import { notifyPong } from '../../../src/wire/transport/ports.js'

/** One action of the service in a script. */
export type ServerMove =
  | { readonly _tag: 'Open' }
  | { readonly _tag: 'Text'; readonly frame: string }
  | { readonly _tag: 'Binary'; readonly frame: Uint8Array }
  | { readonly _tag: 'Pong' }
  | { readonly _tag: 'Close'; readonly code: number; readonly reason: string }

const textFrame = (frame: string): ServerMove => ({ _tag: 'Text', frame })

/** The actions of the service, as values of a script. */
export const server = {
  /** Accepts the connection. */
  opens: { _tag: 'Open' } as ServerMove,
  /** Sends a text frame. */
  says: textFrame,
  /** Sends a confirmation that lists these topics. */
  confirms: (...subscriptions: readonly string[]): ServerMove => textFrame(JSON.stringify({ subscriptions })),
  /** Sends a price update; the price is in USD. */
  prices: (topic: string, price: number): ServerMove => textFrame(JSON.stringify({ topic, price })),
  /** Sends a binary frame. */
  sends: (frame: Uint8Array): ServerMove => ({ _tag: 'Binary', frame }),
  /** Sends a pong; for scripts with `answersPings: false`. */
  pongs: { _tag: 'Pong' } as ServerMove,
  /** Closes the connection with a close frame; code 1006 (the default) means without a close frame. */
  closes: (code = 1006, reason = ''): ServerMove => ({ _tag: 'Close', code, reason }),
} as const

/**
 * The service's actions, starting at the dial: one observable for all dials, or a function of the dial's number, from
 * 1.
 */
export type Script = Observable<ServerMove> | ((dial: number) => Observable<ServerMove>)

/** Options of `scriptedSocket`. */
export interface ScriptedSocketOptions {
  /** True if each ping gets an immediate pong. Default: `true`. */
  readonly answersPings?: boolean
}

/** A WebSocket transport without a network. Its inbound and outbound frames are observables. */
export interface ScriptedSocket extends WebSocketTransport {
  /** Text frames that the client sends. Hot. */
  readonly sent$: Observable<string>
  /** Number of each dial, from 1. Hot. */
  readonly dials$: Observable<number>
  /** Number of each dial whose socket the client closes. Hot. */
  readonly hangUps$: Observable<number>
}

/**
 * Creates a transport for `createClient({ webSocket })` that plays a script instead of dialling. If the script completes
 * or fails, the connection closes without a close frame. All time is Rx time: in `TestScheduler.run`, scripts are marbles.
 *
 * @example
 * const socket = scriptedSocket(cold('o-c-p', { o: server.opens, c: server.confirms(topic), p: server.prices(topic, 1.5) }))
 * const client = createClient({ environment: 'testnet', priceBaseUrl: 'http://localhost', webSocket: socket })
 * expectObservable(socket.sent$).toBe('s', { s: `{"method":"subscribe","topic":"${topic}"}` })
 */
export const scriptedSocket = (script$: Script, options: ScriptedSocketOptions = {}): ScriptedSocket => {
  const { answersPings = true } = options
  const sent$ = new Subject<string>()
  const dials$ = new Subject<number>()
  const hangUps$ = new Subject<number>()
  let dials = 0

  return {
    sent$: sent$.asObservable(),
    dials$: dials$.asObservable(),
    hangUps$: hangUps$.asObservable(),
    dial(_url, _options, listener) {
      const number = ++dials
      dials$.next(number)
      const moves$ = typeof script$ === 'function' ? script$(number) : script$
      const end = (code: number, reason: string): void => {
        if (playing.closed) return
        playing.unsubscribe()
        listener.closed(code, reason)
      }
      // A transport must not call the listener before `dial` has returned.
      const playing = moves$.pipe(subscribeOn(asapScheduler)).subscribe({
        next: (move) =>
          move._tag === 'Close' ? end(move.code, move.reason) : notifyListener(move, listener),
        complete: () => end(1006, 'the script is over'),
        error: (thrown: unknown) => end(1006, String(thrown)),
      })
      const closeByClient = (): void => {
        if (!playing.closed) hangUps$.next(number)
        end(1000, '')
      }
      return {
        send: (frame) => {
          if (!playing.closed) sent$.next(frame)
        },
        ping: () => {
          if (answersPings && !playing.closed) notifyPong(listener)
        },
        close: closeByClient,
        terminate: closeByClient,
      }
    },
    close: () => Promise.resolve(),
  }
}

const notifyListener = (move: Exclude<ServerMove, { _tag: 'Close' }>, listener: SocketListener): void => {
  switch (move._tag) {
    case 'Open':
      return listener.opened()
    case 'Text':
      return listener.text(move.frame)
    case 'Binary':
      return listener.binary(move.frame)
    case 'Pong':
      return notifyPong(listener)
    default:
      return assertNever(move)
  }
}
