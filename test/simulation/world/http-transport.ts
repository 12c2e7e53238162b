import { left, right } from 'fp-ts/lib/Either.js'
import { networkError } from '../../../src/base/errors/constructors.js'
import type {
  HttpRequest,
  HttpResponse,
  HttpTransport,
  OnHttpResult,
} from '../../../src/wire/transport/ports.js'
import type { Connection, Host, Link } from './network.js'
import type { SimulatedProcess } from './process.js'

/** The size of the head of a request or a response, in bytes. */
const headBytes = 300

/** Sends the response of a service. `undefined`: the service closes the connection instead. */
export type Respond = (response: HttpResponse | undefined) => void

export interface RequestObserver {
  /** `isRepeated`: the same request is sent again, on a new connection. */
  onRequest(path: string, isRepeated: boolean): void
  /** The request has a result, or is aborted. `status`: of its response, if there is one. */
  onRequestEnd(path: string, status?: number): void
}

/** The requests of one client: each has a connection of its own. */
export class SimulatedHttp implements HttpTransport {
  private readonly aborts = new Set<() => void>()

  constructor(
    private readonly process: SimulatedProcess,
    private readonly link: Link,
    private readonly host: Host,
    private readonly onRequest: (path: string, respond: Respond) => void,
    private readonly observer: RequestObserver,
  ) {}

  get size(): number {
    return this.aborts.size
  }

  get({ path, newConnection }: HttpRequest, onResult: OnHttpResult): () => void {
    let connection: Connection | undefined
    let isEnded = false
    /** Returns false if the request has ended before. */
    const end = (status?: number): boolean => {
      if (isEnded) return false
      isEnded = true
      this.aborts.delete(abort)
      this.observer.onRequestEnd(path, status)
      connection?.end('client')
      return true
    }
    const abort = (): void => void end()
    const fail = (reason: string): void => {
      if (end()) onResult(left(networkError(new Error(reason))))
    }
    this.aborts.add(abort)
    this.observer.onRequest(path, newConnection === true)
    this.link.connect(this.process, this.host, (result) => {
      if (typeof result === 'string') return fail(result)
      connection = result
      if (isEnded) return result.end('client')
      result.onEnd.client = () => fail('socket hang up')
      const respond: Respond = (response) => {
        if (response === undefined) return result.end('server')
        result.down.send(headBytes + response.body.length, () => {
          if (end(response.status)) onResult(right(response))
        })
      }
      result.up.send(headBytes, () => this.onRequest(path, respond))
    })
    return abort
  }

  close(): Promise<void> {
    for (const abort of [...this.aborts]) abort()
    return Promise.resolve()
  }
}
