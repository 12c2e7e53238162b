import { firstValueFrom, last, map, of, startWith, Subject, takeWhile, timeout } from 'rxjs'
import { clientTable } from '../../client/options.js'
import { printable } from '../../errors/text.js'
import { node } from '../../platform/node.js'
import type { Socket, WebSocketTransport } from '../../transport/ports.js'

/** The events of a server over a WebSocket. `status`: the status of a response that refused the upgrade. */
export type PeerEvent =
  | { readonly _tag: 'Opened' }
  | { readonly _tag: 'Text'; readonly text: string }
  | { readonly _tag: 'Binary' }
  | { readonly _tag: 'Pong'; readonly payload: string | undefined }
  | {
      readonly _tag: 'Closed'
      readonly code: number
      readonly reason: string
      readonly status: number | undefined
    }

/** A server that sends more messages is wrong: without this limit, it could delay the results without end. */
const maxEvents = 20_000

/** A WebSocket without a client: it sends any frame, and keeps all received frames, in order. */
export class Peer {
  readonly events: PeerEvent[] = []
  private readonly changed$ = new Subject<void>()
  private readonly transport: WebSocketTransport = node.webSocketTransport(undefined)
  private readonly socket: Socket

  constructor(
    url: URL,
    private readonly limit: number,
  ) {
    const add = (event: PeerEvent): void => {
      if (this.closed !== undefined) return
      this.events.push(event)
      if (this.events.length === maxEvents) this.end(`this command reads at most ${maxEvents} messages`)
      this.changed$.next()
    }
    const options = { maxFrameBytes: clientTable.maxFrameBytes.default }
    this.socket = this.transport.dial(url.href, options, {
      opened: () => add({ _tag: 'Opened' }),
      bytes: () => false,
      text: (text) => add({ _tag: 'Text', text }),
      binary: () => add({ _tag: 'Binary' }),
      alive: () => undefined,
      pong: (payload) => add({ _tag: 'Pong', payload }),
      closed: (code, reason, refusal) =>
        add({ _tag: 'Closed', code, reason: printable(reason), status: refusal?.status }),
    })
  }

  get closed(): Extract<PeerEvent, { readonly _tag: 'Closed' }> | undefined {
    const final = this.events.at(-1)
    return final?._tag === 'Closed' ? final : undefined
  }

  send(text: string): void {
    this.socket.send(text)
  }

  ping(payload: string): void {
    this.socket.ping?.(payload)
  }

  /** Resolves to the first event from an index on that matches; `undefined` if the limit passes or the socket closes before. */
  find(matches: (event: PeerEvent) => boolean, from: number): Promise<PeerEvent | undefined> {
    let next = from
    // Reads each event once, however many come.
    const findNext = (): PeerEvent | undefined => {
      for (let event = this.events[next]; event !== undefined; event = this.events[next]) {
        next++
        if (matches(event)) return event
      }
      return undefined
    }
    const found$ = this.changed$.pipe(
      startWith(undefined),
      map(findNext),
      takeWhile((found) => found === undefined && this.closed === undefined, true),
      last(),
      timeout({ first: this.limit, with: () => of(undefined) }),
    )
    return firstValueFrom(found$)
  }

  /** Resolves to the first text from an index on that matches. */
  async findText(matches: (text: string) => boolean, from: number): Promise<string | undefined> {
    const found = await this.find((event) => event._tag === 'Text' && matches(event.text), from)
    return found?._tag === 'Text' ? found.text : undefined
  }

  /** Sends a text, and resolves to the first text after it that matches. */
  ask(text: string, matches: (text: string) => boolean): Promise<string | undefined> {
    const from = this.events.length
    this.send(text)
    return this.findText(matches, from)
  }

  private end(reason: string): void {
    this.events.push({ _tag: 'Closed', code: 1008, reason, status: undefined })
    this.socket.terminate()
  }

  close(): Promise<void> {
    this.socket.terminate()
    return this.transport.close()
  }
}
