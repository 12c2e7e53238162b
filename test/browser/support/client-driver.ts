import { config, type Observable, type Subscription } from 'rxjs'
import type { Client, DepthClientOptions } from 'svc-streams'

type CreateClient = (options: DepthClientOptions) => Client

/** A stream of a client, by the name of its method and its arguments. */
export type StreamCall =
  | readonly ['price$', string]
  | readonly ['depth$', string, number]
  | readonly ['status$']
  | readonly ['errors$']

/** An action of `ClientDriver.run`. `turn`: waits for a later turn of the event loop. */
export type Action =
  | readonly ['subscribe', name: string, topic: string]
  | readonly ['unsubscribe', name: string]
  | readonly ['turn']

/**
 * Drives a client by calls whose arguments and results are plain data, so that the same test drives a client on Node
 * and in a page. Each subscription has a name and a log.
 */
export class ClientDriver {
  private readonly client: Client
  private readonly logs = new Map<string, unknown[]>()
  private readonly subscriptions = new Map<string, Subscription>()

  constructor(createClient: CreateClient, options: DepthClientOptions) {
    this.client = createClient(options)
  }

  /** Returns the events that are emitted at once. */
  subscribe(name: string, ...call: StreamCall): readonly unknown[] {
    const log: unknown[] = []
    this.logs.set(name, log)
    const stream$ = this.streamOf(call)
    const subscription = stream$.subscribe({
      next: (event) => log.push(plain(event)),
      error: (error: unknown) => log.push(`error: ${String(error)}`),
      complete: () => log.push('complete'),
    })
    this.subscriptions.set(name, subscription)
    return [...log]
  }

  /** Subscribes with a handler that throws. The log contains each exception that RxJS reports. */
  subscribeThrowing(name: string, topic: string): void {
    const log: unknown[] = []
    this.logs.set(name, log)
    config.onUnhandledError = (error: unknown) => log.push(String(error))
    const subscription = this.streamOf(['price$', topic]).subscribe(() => {
      throw new Error('thrown by a handler')
    })
    subscription.add(() => (config.onUnhandledError = null))
    this.subscriptions.set(name, subscription)
  }

  unsubscribe(name: string): void {
    this.subscriptions.get(name)?.unsubscribe()
  }

  /** Performs actions, in one turn of the event loop unless one is `turn`. */
  async run(actions: readonly Action[]): Promise<void> {
    for (const action of actions) {
      if (action[0] === 'turn') await new Promise((resolve) => setTimeout(resolve))
      else if (action[0] === 'unsubscribe') this.unsubscribe(action[1])
      else this.subscribe(action[1], 'price$', action[2])
    }
  }

  /** The events of a subscription, as plain data: a `bigint` as its decimal text. At the end `complete`, if it is. */
  events(name: string): readonly unknown[] {
    return this.logs.get(name) ?? []
  }

  depth(mint: string): Promise<unknown> {
    return this.client
      .depth(mint as never)()
      .then(plain)
  }

  price(topic: string): Promise<unknown> {
    return this.client
      .price(topic as never)()
      .then(plain)
  }

  inspect(): unknown {
    return plain(this.client.inspect())
  }

  async close(): Promise<void> {
    await this.client.close()
    config.onUnhandledError = null
  }

  private streamOf(call: StreamCall): Observable<unknown> {
    const { client } = this
    switch (call[0]) {
      case 'price$':
        return client.price$(call[1] as never)
      case 'depth$':
        return client.depth$(call[1] as never, call[2])
      case 'status$':
        return client.status$
      case 'errors$':
        return client.errors$
    }
  }
}

const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, field: unknown) => (typeof field === 'bigint' ? String(field) : field)),
  )
