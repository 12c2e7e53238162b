import { firstValueFrom, last, map, of, startWith, Subject, takeWhile, timeout } from 'rxjs'
import { readFrame, type Frame, type MalformedFrame } from '../../wire/codec/price-frame.js'
import { clientTable } from '../../client/options.js'
import { printable } from '../../base/errors/text.js'
import { node } from '../../wire/platform/node.js'
import { messageTooBig, type Socket, type WebSocketTransport } from '../../wire/transport/ports.js'
import type { ConformTarget } from './rules.js'

/** The events of a server over a WebSocket. */
export type PeerEvent =
  | { readonly _tag: 'Opened' }
  | TextMessage
  | { readonly _tag: 'Binary' }
  | { readonly _tag: 'Pong'; readonly payload: string | undefined }
  | Closed

export interface TextMessage {
  readonly _tag: 'Text'
  readonly text: string
  readonly frame: Frame | MalformedFrame
}

/** `status`: the status of a response that refused the upgrade. */
export interface Closed {
  readonly _tag: 'Closed'
  readonly code: number
  readonly reason: string
  readonly status: number | undefined
  /** True if a limit of this command closed the connection, not the server. */
  readonly isOwn: boolean
}

/** A server that sends more is wrong: without these limits, it could delay the results without end, or fill the memory. */
const maxEvents = 20_000
const maxLength = 32 * 1024 * 1024

/** The reasons of `ws` for the end of a connection with a message above `maxFrameBytes`. */
const isFrameLimit = (reason: string): boolean => /^Max payload size exceeded|payload length > /.test(reason)

type PeerTarget = Pick<ConformTarget, 'webSocket' | 'limit'> & Partial<Pick<ConformTarget, 'remaining'>>

/** A WebSocket without a client: it sends any frame, and keeps all received frames, in order. */
export class Peer {
  readonly events: PeerEvent[] = []
  private length = 0
  private readonly changed$ = new Subject<void>()
  private readonly transport: WebSocketTransport = node.webSocketTransport(undefined)
  private readonly socket: Socket

  constructor(private readonly target: PeerTarget) {
    const maxFrameBytes = clientTable.maxFrameBytes.default
    this.socket = this.transport.dial(
      target.webSocket.href,
      { maxFrameBytes },
      {
        opened: () => this.add({ _tag: 'Opened' }),
        bytes: () => false,
        text: (text) => this.addMessage(text.length, () => ({ _tag: 'Text', text, frame: readFrame(text) })),
        binary: ({ length }) => this.addMessage(length, () => ({ _tag: 'Binary' })),
        alive: () => undefined,
        pong: (payload) => this.add({ _tag: 'Pong', payload }),
        closed: (code, reason, refusal) => {
          if (code === messageTooBig && isFrameLimit(reason))
            this.end(code, `a message had more than ${maxFrameBytes} bytes`)
          else
            this.add({
              _tag: 'Closed',
              code,
              reason: printable(reason),
              status: refusal?.status,
              isOwn: false,
            })
        },
      },
    )
  }

  get closed(): Closed | undefined {
    const final = this.events.at(-1)
    return final?._tag === 'Closed' ? final : undefined
  }

  send(text: string): void {
    this.socket.send(text)
  }

  ping(payload: string): void {
    this.socket.ping?.(payload)
  }

  /**
   * Resolves to the first event from an index on that matches; `undefined` if the limit passes or the socket closes
   * before. Reads each event once, however many arrive.
   */
  find(matches: (event: PeerEvent) => boolean, from: number): Promise<PeerEvent | undefined> {
    let next = from
    const findNext = (): PeerEvent | undefined => {
      for (let event = this.events[next]; event !== undefined; event = this.events[next]) {
        next++
        if (matches(event)) return event
      }
      return undefined
    }
    const { limit, remaining = () => Infinity } = this.target
    const found$ = this.changed$.pipe(
      startWith(undefined),
      map(findNext),
      takeWhile((found) => found === undefined && this.closed === undefined, true),
      last(),
      timeout({ first: Math.min(limit, remaining()), with: () => of(undefined) }),
    )
    return firstValueFrom(found$)
  }

  /** Resolves to the first text from an index on that matches. */
  async findText(matches: (message: TextMessage) => boolean, from: number): Promise<TextMessage | undefined> {
    const found = await this.find((event) => event._tag === 'Text' && matches(event), from)
    return found?._tag === 'Text' ? found : undefined
  }

  /** Sends a text, and resolves to the first text after it that matches. */
  ask(text: string, matches: (message: TextMessage) => boolean): Promise<TextMessage | undefined> {
    const from = this.events.length
    this.send(text)
    return this.findText(matches, from)
  }

  close(): Promise<void> {
    this.socket.terminate()
    return this.transport.close()
  }

  private addMessage(length: number, create: () => PeerEvent): void {
    if (this.closed !== undefined) return
    this.length += length
    this.add(create())
    if (this.length > maxLength) this.end(1008, `the messages had more than ${maxLength / 2 ** 20} MB`)
  }

  private add(event: PeerEvent): void {
    if (this.closed !== undefined) return
    this.events.push(event)
    if (this.events.length < maxEvents) return this.changed$.next()
    this.end(1008, `more than ${maxEvents} messages arrived`)
  }

  /** Ends the connection at a limit of this command. */
  private end(code: number, reason: string): void {
    if (this.closed !== undefined) return
    this.events.push({ _tag: 'Closed', code, reason, status: undefined, isOwn: true })
    this.socket.terminate()
    this.changed$.next()
  }
}
