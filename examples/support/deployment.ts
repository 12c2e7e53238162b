import { createClient, type Address, type Client } from 'svc-streams'
import {
  combinedMarket,
  randomWalk,
  recordedMarket,
  startSimulator,
  type Simulator,
} from 'svc-streams/simulator'

// The service of an example: a real deployment if the environment variables are set, otherwise the simulator.

export interface ListedToken {
  readonly symbol: string
  readonly address: Address
}

export interface Deployment {
  readonly client: Client
  readonly tokens: readonly ListedToken[]
  /** Undefined for a real deployment. */
  readonly simulator: Simulator | undefined
  readonly close: () => Promise<void>
}

const variables = {
  SVC_BASE_URL: "the relayer API's address, such as https://relayer.example:3000",
  SVC_PRICE_BASE_URL: "the price reporter's address, such as https://prices.example:3000",
  SVC_AUTH_KEY: 'the auth key, base64',
  SVC_TOKENS: 'tokens to watch, such as ETH=0x82af…,BTC=0x2f2a…',
} as const

const randomWalkTokens = [
  { address: '0x912ce59144191c1204e64559fe8253a0e49e6548', symbol: 'ARB', price: 0.5312 },
  { address: '0xfc5a1a6eb076a2c7ad06ed22c90d7e710e35ad0a', symbol: 'GMX', price: 26.41 },
  { address: '0xf97f4df75117a78c1a5a0dbb814af92458539fb4', symbol: 'LINK', price: 10.37 },
] as const

export const connect = (): Promise<Deployment> =>
  Object.keys(process.env).some((name) => name.startsWith('SVC_'))
    ? Promise.resolve(realDeployment())
    : simulatedDeployment()

const realDeployment = (): Deployment => {
  const missing = Object.entries(variables).filter(([name]) => (process.env[name] ?? '') === '')
  if (missing.length > 0) {
    const lines = missing.map(([name, meaning]) => `  ${name.padEnd(20)} ${meaning}`)
    throw new Error(
      `A real deployment also needs these environment variables:\n${lines.join('\n')}\n` +
        'Set them, or unset every SVC_… variable to run against the simulator.',
    )
  }
  const priceWsUrl = process.env['SVC_PRICE_WS_URL']
  const client = createClient({
    environment: 'mainnet',
    baseUrl: process.env['SVC_BASE_URL'],
    priceBaseUrl: process.env['SVC_PRICE_BASE_URL'],
    ...(priceWsUrl === undefined ? {} : { priceWsUrl }),
    authKey: process.env['SVC_AUTH_KEY'],
  })
  const tokens = (process.env['SVC_TOKENS'] ?? '').split(',').map(parseToken)
  return { client, tokens, simulator: undefined, close: () => client.close() }
}

/** Parses `ETH=0x82af…`, or an address without a symbol. */
const parseToken = (text: string): ListedToken => {
  const [first = '', second] = text.trim().split('=')
  const address = second ?? first
  const symbol = second === undefined ? `${first.slice(0, 6)}…` : first
  return { symbol, address: address as Address }
}

const simulatedDeployment = async (): Promise<Deployment> => {
  const market = combinedMarket(
    recordedMarket(),
    randomWalk({ tokens: randomWalkTokens, seed: 7, tick: 300 }),
  )
  const simulator = await startSimulator({ market })
  const client = createClient({ environment: 'mainnet', ...simulator })
  const close = async (): Promise<void> => {
    await client.close()
    await simulator.close()
  }
  return { client, tokens: simulator.tokens, simulator, close }
}
