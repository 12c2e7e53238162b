import { Child, withChild, type ChildOptions } from '../process/child.js'
import { topicsOf } from '../topics.js'

/** A candidate in its own process, connected to the service. */
export interface ConnectedClient {
  readonly child: Child
  readonly service: Child
}

export interface ClientOptions {
  /** The program of the candidate: its path in `candidates/`, without the extension. */
  readonly program: string
  /** The path of the upgrade request, which selects the protocol of the server. */
  readonly path?: string
  readonly topics: number
  readonly recorder?: 'throughput' | 'latency'
  readonly fanOut?: string
  readonly process?: ChildOptions
}

/** The service of one table. */
export class PriceService {
  private constructor(
    private readonly child: Child,
    private readonly port: number,
  ) {}

  static async start(): Promise<PriceService> {
    const child = new Child('server/price-service.ts')
    return new PriceService(child, await child.request<number>('listen'))
  }

  /** Its address. `path` selects the protocol. */
  url(path: string): string {
    return `ws://127.0.0.1:${this.port}${path}`
  }

  /** Runs `use` with a connected client without subscriptions. */
  async withClient<T>(options: ClientOptions, use: (client: ConnectedClient) => Promise<T>): Promise<T> {
    const { program, path = '/', topics, recorder = 'throughput', fanOut, process } = options
    await this.child.request('expectClient', { topics })
    const url = this.url(path)
    return withChild(
      `candidates/${program}.mjs`,
      async (child) => {
        await child.request('open', { url, topics: topicsOf(topics), recorder, fanOut })
        return use({ child, service: this.child })
      },
      process,
    )
  }

  stop(): Promise<void> {
    return this.child.kill()
  }
}

/** Runs `use` with a service, and stops the service afterwards. */
export const withPriceService = async <T>(use: (service: PriceService) => Promise<T>): Promise<T> => {
  const service = await PriceService.start()
  try {
    return await use(service)
  } finally {
    await service.stop()
  }
}

/** Subscribes to the topics from index `from` to `to`, and waits until the server has received the subscriptions. */
export const subscribe = async (
  { child, service }: ConnectedClient,
  {
    from = 0,
    to,
    subscribers = 1,
  }: { readonly from?: number; readonly to: number; readonly subscribers?: number },
): Promise<void> => {
  await child.request('subscribe', { from, to, subscribers })
  await service.request('awaitSubscriptions', { topics: to })
}
