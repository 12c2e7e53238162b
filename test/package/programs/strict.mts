// A user's program under the strictest compiler settings. It is compiled, not run.
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { firstValueFrom, type Observable } from 'rxjs'
import {
  ConfigurationError,
  createClient,
  decodeDepth,
  defineTokens,
  formatQuantity,
  isAddress,
  isTopic,
  matchError,
  parseAddress,
  parseQuantity,
  parseTopic,
  PriceUpdate,
  renderError,
  signRequest,
  type Client,
  type ClientOptions,
  type ClientSnapshot,
  type ConnectionStatus,
  type Depth,
  type DepthError,
  type HttpTransport,
  type Price,
  type PriceError,
  type Topic,
  type WebSocketTransport,
} from 'svc-streams'
import { startGateway, type Gateway, type GatewayOptions } from 'svc-streams/gateway'
import { startSimulator, type Simulator } from 'svc-streams/simulator'
import { createTestClient, depth, price } from 'svc-streams/testing'

declare const variables: Readonly<Record<string, string | undefined>>
declare const signal: AbortSignal
declare const webSocket: WebSocketTransport
declare const http: HttpTransport

/** A client of a real deployment. */
export const connect = (): Client =>
  createClient({
    environment: 'mainnet',
    baseUrl: variables['SVC_BASE_URL'],
    priceBaseUrl: variables['SVC_PRICE_BASE_URL'],
    authKey: variables['SVC_AUTH_KEY'],
    reconnect: { maxDelay: 10_000 },
    canonicalHeaders: (headers) => headers.map(([name, value]) => `${name}:${value}`).join('\n'),
    signal,
    webSocket,
    http,
  })

/** Options with a conditional property. */
export const options = (staleAfter?: number): ClientOptions => ({
  environment: 'testnet',
  priceBaseUrl: 'https://prices.example',
  ...(staleAfter === undefined ? {} : { staleAfter }),
})

/** A delay in ms for each error, by an exhaustive match. */
export const delayFor = (error: PriceError): number | undefined =>
  matchError(error, {
    InvalidTopic: () => 0,
    SubscriptionRejected: ({ reason }) => (reason === '' ? undefined : 0),
    SubscriptionTimeout: ({ recent, afterMs }) => (recent.length > 0 ? 0 : afterMs),
    Disconnected: ({ attempt, retryInMs }) => (attempt > 3 ? 0 : retryInMs),
    Stale: ({ last, silentForMs }) => (last === undefined ? 0 : silentForMs),
    DecodeError: ({ issues }) => (issues[0]?.path === 'price' ? 0 : 1000),
    ClientClosed: () => undefined,
  })

/** A text for each status, by an exhaustive switch. */
export const colorOf = (status: ConnectionStatus): 'green' | 'yellow' | 'red' => {
  switch (status._tag) {
    case 'Open':
      return 'green'
    case 'Idle':
    case 'Connecting':
      return 'yellow'
    case 'Waiting':
    case 'Closed':
      return 'red'
  }
}

export const half = (value: Either<DepthError, Depth>): bigint | string =>
  isLeft(value) ? renderError(value.left) : value.right.buy.totalQuantity / 2n

/** The tokens of the program, by symbol. */
export const tokens = defineTokens({
  WETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
  WBTC: { address: '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', decimals: 8 },
})

export const buyable = ({ buy }: Depth): string => formatQuantity(buy.totalQuantity, tokens.WETH.decimals)

export const startToken$ = (
  client: Client,
  text: string,
): Observable<Either<PriceError | DepthError, unknown>> => {
  if (isTopic(text)) return client.price$(text)
  if (isAddress(text)) return client.depth$(text, 1000)
  return client.depth$(tokens.WETH.address, 1000)
}

export const parsed = (text: string): readonly unknown[] => [parseAddress(text), parseQuantity(text, 18)]

export const once = async (client: Client, text: string): Promise<number | undefined> => {
  const topic = parseTopic(text)
  if (isLeft(topic)) return undefined
  const result = await client.price(topic.right)()
  return isLeft(result) ? undefined : result.right.price
}

export const pure = (body: string): readonly unknown[] => [
  decodeDepth(body),
  PriceUpdate.decode(body),
  PriceUpdate.is(body) ? body.price.toFixed() : undefined,
  signRequest({ key: 'AA', path: '/', headers: {} }),
  new ConfigurationError('option', 'problem').option,
]

export const simulated = async (): Promise<ClientSnapshot> => {
  const simulator: Simulator = await startSimulator({ tokens: ['0xaa'], seed: 1, tick: 10 })
  const client = createClient({ environment: 'mainnet', ...simulator })
  await firstValueFrom(client.price$('svc-0xaa'))
  const snapshot = client.inspect()
  await client.close()
  await simulator.close()
  return snapshot
}

export const served = async (client: Client, options: GatewayOptions): Promise<Gateway> => {
  const gateway = await startGateway(client)
  const consumer: Client = createClient({ environment: 'mainnet', ...gateway })
  await consumer.close()
  const signed = await startGateway(client, {
    keys: { consumer: 'AAEC' },
    tls: { key: '', cert: '' },
    signal,
  })
  const isUnsigned: false = signed.unsigned
  return isUnsigned ? gateway : startGateway(client, options)
}

export const tested = (prices$: Observable<Price>): Client => {
  const topic: Topic = 'svc-0xaa'
  return createTestClient({ prices: { [topic]: prices$ }, stamp: true })
}

export const built: readonly [Price, Depth] = [price('svc-0xaa', 1), depth('0xaa', { price: 2 })]
