import { EventEmitter } from 'node:events'
import type { WsPackage } from '../../../../../src/wire/transport/packages.js'
import { importWs } from '../../../../../src/wire/transport/packages.js'

/** A `WebSocket` of `ws` that is driven by the test. */
export class FakeWebSocket extends EventEmitter {
  readonly CONNECTING = 0
  readonly OPEN = 1
  readyState = 0
  bufferedAmount = 0
  /** The calls of the transport, in order. */
  readonly calls: string[] = []

  constructor(
    readonly url: string,
    readonly options: { readonly maxPayload?: number },
  ) {
    super()
  }

  open(): void {
    this.readyState = this.OPEN
    this.emit('open')
  }

  deliver(message: unknown): void {
    this.emit('message', Buffer.from(JSON.stringify(message)), false)
  }

  send(frame: string): void {
    this.calls.push(`send ${frame}`)
    this.bufferedAmount += frame.length
  }

  ping(payload: string): void {
    this.calls.push(`ping ${payload}`)
  }

  close(code: number): void {
    this.end('close', code)
  }

  terminate(): void {
    this.end('terminate', 1006)
  }

  private end(call: string, code: number): void {
    this.calls.push(call)
    this.readyState = 3
    this.emit('close', code, Buffer.alloc(0))
  }
}

const modules = await importWs()

/** Modules whose sockets are fake, and these sockets. */
export const fakeModules = (): { modules: WsPackage; sockets: readonly FakeWebSocket[] } => {
  const sockets: FakeWebSocket[] = []
  class Recorded extends FakeWebSocket {
    constructor(url: string, options: { readonly maxPayload?: number }) {
      super(url, options)
      sockets.push(this)
    }
  }
  return { modules: { ...modules, WebSocket: Recorded as unknown as WsPackage['WebSocket'] }, sockets }
}
