import { firstValueFrom, last, map, of, startWith, Subject, takeWhile, timeout } from 'rxjs'
import { WebSocket } from 'ws'
import { readFrame, type Frame, type MalformedFrame } from '../../../src/wire/codec/price-frame.js'

/** The events of a server over a WebSocket. */
export type PeerEvent =
  | { readonly _tag: 'Opened' }
  | TextMessage
  | { readonly _tag: 'Binary' }
  | { readonly _tag: 'Pong'; readonly payload: string }
  | Closed

export interface TextMessage {
  readonly _tag: 'Text'
  readonly text: string
  readonly frame: Frame | MalformedFrame
}

interface Closed {
  readonly _tag: 'Closed'
  readonly code: number
  /** The status of a response that refused the upgrade. */
  readonly status: number | undefined
}

/** A WebSocket without a client: it sends any frame, and keeps all received frames, in order. */
export class Peer {
  readonly events: PeerEvent[] = []
  private readonly changed$ = new Subject<void>()
  private readonly socket: WebSocket
  private status: number | undefined

  /** `limit`: of each wait, in ms. */
  constructor(
    url: string,
    private readonly limit: number,
  ) {
    this.socket = new WebSocket(url)
      .on('open', () => this.add({ _tag: 'Opened' }))
      .on('message', (data: Buffer, isBinary) => {
        const text = data.toString()
        this.add(isBinary ? { _tag: 'Binary' } : { _tag: 'Text', text, frame: readFrame(text) })
      })
      .on('pong', (payload) => this.add({ _tag: 'Pong', payload: payload.toString() }))
      .on('unexpected-response', (_request, response) => {
        this.status = response.statusCode
        this.socket.terminate()
      })
      .on('error', () => undefined)
      .on('close', (code) => this.add({ _tag: 'Closed', code, status: this.status }))
  }

  get closed(): Closed | undefined {
    const final = this.events.at(-1)
    return final?._tag === 'Closed' ? final : undefined
  }

  /** Resolves when the WebSocket is open: false if it does not open. */
  async opens(): Promise<boolean> {
    return (await this.find(({ _tag }) => _tag === 'Opened', 0)) !== undefined
  }

  send(text: string): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text)
  }

  ping(payload: string): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.ping(payload)
  }

  /**
   * Resolves to the first event from an index on that matches; `undefined` if the limit passes or the socket closes
   * before.
   */
  find(matches: (event: PeerEvent) => boolean, from: number): Promise<PeerEvent | undefined> {
    const found$ = this.changed$.pipe(
      startWith(undefined),
      map(() => this.events.slice(from).find(matches)),
      takeWhile((found) => found === undefined && this.closed === undefined, true),
      last(),
      timeout({ first: this.limit, with: () => of(undefined) }),
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

  close(): void {
    this.socket.terminate()
  }

  private add(event: PeerEvent): void {
    this.events.push(event)
    this.changed$.next()
  }
}
