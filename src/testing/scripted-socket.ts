import { asapScheduler, Subject, subscribeOn, type Observable } from 'rxjs'
import type { SocketListener, WebSocketTransport } from '../transport/ports.js'
import type { ServerMove } from './server-move.js'

/** What the service does, from the dial on: the same for every dial, or a function of the dial's number, from 1. */
export type Script = Observable<ServerMove> | ((dial: number) => Observable<ServerMove>)

export interface ScriptedSocketOptions {
  /** Whether pings are answered at once, as every live peer does. Default: `true`. */
  readonly answersPings?: boolean
}

/** A WebSocket transport without a network, whose frames in and out are observables. */
export interface ScriptedSocket extends WebSocketTransport {
  /** Each text frame that the client sends. Hot. */
  readonly sent$: Observable<string>
  /** The number of each dial, from 1. Hot. */
  readonly dials$: Observable<number>
  /** The number of each dial whose socket the client ends. Hot. */
  readonly hangUps$: Observable<number>
}

/**
 * A transport for `createClient({ webSocket })` that plays a script instead of dialling. A script that completes
 * ends the connection without a close frame. Time is Rx time: inside `TestScheduler.run`, scripts are marbles.
 *
 * @example
 * const socket = scriptedSocket(cold('o-c-p', { o: server.opens, c: server.confirms(topic), p: server.prices(topic, 1.5) }))
 * const client = createClient({ environment: 'testnet', priceBaseUrl: 'http://localhost', webSocket: socket })
 * expectObservable(socket.sent$).toBe('s', { s: `{"method":"subscribe","topic":"${topic}"}` })
 */
export const scriptedSocket = (
  script$: Script,
  { answersPings = true }: ScriptedSocketOptions = {},
): ScriptedSocket => {
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
      // No listener may be called before the dial has returned.
      const playing = moves$.pipe(subscribeOn(asapScheduler)).subscribe({
        next: (move) => (move._tag === 'Close' ? end(move.code, move.reason) : play(move, listener)),
        complete: () => end(1006, 'the script is over'),
        error: (thrown: unknown) => end(1006, String(thrown)),
      })
      const hangUp = (): void => {
        if (!playing.closed) hangUps$.next(number)
        end(1000, '')
      }
      return {
        send: (frame) => {
          if (!playing.closed) sent$.next(frame)
        },
        ping: () => {
          if (answersPings && !playing.closed) listener.alive()
        },
        close: hangUp,
        terminate: hangUp,
      }
    },
    close: () => Promise.resolve(),
  }
}

const play = (move: Exclude<ServerMove, { _tag: 'Close' }>, listener: SocketListener): void => {
  switch (move._tag) {
    case 'Open':
      return listener.opened()
    case 'Text':
      return listener.text(move.frame)
    case 'Binary':
      return listener.binary(move.frame)
    case 'Pong':
      return listener.alive()
  }
}
