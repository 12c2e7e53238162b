import { Child, withChild } from '../process/child.js'
import { topicsOf } from '../topics.js'

/** A client in a process of its own, connected to the service. */
export interface Client {
  readonly child: Child
  readonly service: Child
}

export interface ClientOptions {
  /** The candidate's program, below `candidates/`. */
  readonly program: string
  /** The path to connect to: which protocol the server speaks. */
  readonly path?: string
  readonly topics: number
  readonly record?: 'sum' | 'latencies'
  readonly fanOut?: string
  readonly nodeOptions?: readonly string[]
}

/** The service, for one table. */
export class PriceService {
  private constructor(
    private readonly child: Child,
    private readonly port: number,
  ) {}

  static async start(): Promise<PriceService> {
    const child = new Child('server/prices-service.ts')
    return new PriceService(child, await child.ask<number>('listen'))
  }

  /** Runs `use` with a connected client that has not subscribed to anything yet. */
  async withClient<T>(options: ClientOptions, use: (client: Client) => Promise<T>): Promise<T> {
    const { program, path = '/', topics, record = 'sum', fanOut, nodeOptions = [] } = options
    await this.child.ask('expectClient', { topics })
    const url = `ws://127.0.0.1:${this.port}${path}`
    return withChild(
      `candidates/${program}.mjs`,
      async (child) => {
        await child.ask('open', { url, topics: topicsOf(topics), record, fanOut })
        return use({ child, service: this.child })
      },
      nodeOptions,
    )
  }

  end(): Promise<void> {
    return this.child.end()
  }
}

/** Runs `use` with a service that is gone afterwards. */
export const withPriceService = async <T>(use: (service: PriceService) => Promise<T>): Promise<T> => {
  const service = await PriceService.start()
  try {
    return await use(service)
  } finally {
    await service.end()
  }
}

export const subscribe = async (
  { child, service }: Client,
  {
    from = 0,
    to,
    subscribers = 1,
  }: { readonly from?: number; readonly to: number; readonly subscribers?: number },
): Promise<void> => {
  await child.ask('subscribe', { from, to, subscribers })
  await service.ask('subscribed', { topics: to })
}
