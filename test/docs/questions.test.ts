import { build } from 'esbuild'
import type { Either } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom, type Observable } from 'rxjs'
import { createClient, renderError, type AnyError, type ClientOptions, type Topic } from 'svc-streams'
import { combineFresh, lefts } from 'svc-streams/operators'
import { startTcpProxy, type Market } from 'svc-streams/simulator'
import { createTestClient } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import { closeAfterTest } from '../support/close-after-test.js'
import { otherCopies } from '../support/other-rxjs.js'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { btcTopic, ethTopic, weth } from '../support/tokens.js'
import { readPage } from './support/block.js'

// Causes each message of the page of questions.

const errorOf = async (event$: Observable<Either<AnyError, unknown>>, contains = ''): Promise<string> => {
  const error$ = event$.pipe(
    lefts(),
    filter(({ message }) => message.includes(contains)),
  )
  return renderError(await firstValueFrom(error$))
}

const priceError = (options: ClientOptions, topic: Topic = ethTopic): Promise<string> =>
  errorOf(closeAfterTest(createClient(options)).price$(topic))

const thrownBy = (work: () => unknown): string => {
  try {
    work()
  } catch (thrown) {
    return String(thrown)
  }
  return 'nothing is thrown'
}

const bundleErrorOf = async (contents: string, platform: 'node' | 'browser'): Promise<string> => {
  const options = { bundle: true, format: 'esm', logLevel: 'silent', write: false } as const
  const stdin = { contents, resolveDir: import.meta.dirname }
  const { outputFiles } = await build({ ...options, stdin, platform })
  const module = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
  await import(/* @vite-ignore */ `data:text/javascript;base64,${module}`)
  return 'the bundle runs'
}

const testnet = (priceBaseUrl: string): ClientOptions => ({ environment: 'testnet', priceBaseUrl })

/** A token without a price. */
const silent: Market = {
  tokens: [{ address: weth, symbol: 'ETH', decimals: 18 }],
  open: () => () => undefined,
}

const causes: Readonly<Record<string, () => Promise<string> | string>> = {
  'nothing listens': () => priceError(testnet('http://127.0.0.2:1')),
  'no such host': () => priceError(testnet('http://prices.invalid:3000')),
  'the HTTP port': async () => {
    const { priceBaseUrl } = await startTestSimulator()
    return priceError({ ...testnet(priceBaseUrl), priceWsUrl: priceBaseUrl.replace('http', 'ws') })
  },
  'another token': async () =>
    priceError({ environment: 'mainnet', ...(await startTestSimulator()) }, 'svc-0xab'),
  'a token without a price': async () => {
    const service = await startTestSimulator({ market: silent })
    return errorOf(createClientFor(service, { staleAfter: 10 }).price$(ethTopic))
  },
  'a quiet token': async () => {
    const service = await startTestSimulator({ tick: 60_000 })
    return errorOf(createClientFor(service, { staleAfter: 50 }).price$(ethTopic), 'the last price')
  },
  'a slow network': async () => {
    const service = await startTestSimulator()
    const network = closeAfterTest(await startTcpProxy({ target: service.priceWsUrl }))
    const client = createClientFor(service, { priceWsUrl: network.url, maxLag: 300 })
    const price$ = client.price$(ethTopic)
    await firstValueFrom(price$)
    network.delay(400)
    return errorOf(price$, 'behind; the last price')
  },
  'another key': async () => {
    const service = await startTestSimulator()
    const authKey = 'Dw4NDAsKCQgHBgUEAwIBAA=='
    return errorOf(createClientFor(service, { authKey }).depth$(weth, 1_000))
  },
  'a variable that is not set': () =>
    thrownBy(() =>
      createClient({
        environment: 'mainnet',
        priceBaseUrl: 'https://a.example',
        authKey: undefined,
      }),
    ),
  'a key with a line end': () =>
    thrownBy(() =>
      createClient({ environment: 'mainnet', priceBaseUrl: 'https://a.example', authKey: 'Dw4NDAsKCQ==\n' }),
    ),
  'depth without a key': () => {
    const client = closeAfterTest(createClient({ environment: 'mainnet', priceBaseUrl: 'https://a.example' }))
    return thrownBy(() => (client as unknown as { depth$: () => void }).depth$())
  },
  'a key without TLS': () =>
    thrownBy(() =>
      createClient({
        ...{ environment: 'mainnet', priceBaseUrl: 'https://a.example', authKey: 'Dw4NDAsKCQ==' },
        baseUrl: 'http://a.example:3000',
      }),
    ),
  'two prices of different times': async () => {
    const { price$ } = createClientFor(await startTestSimulator())
    return errorOf(combineFresh({ eth: price$(ethTopic), btc: price$(btcTopic) }, { maxSkew: 0 }), 'older')
  },
  'an old depth': async () => {
    const { price$, depth$ } = createClientFor(await startTestSimulator())
    const legs = { price: price$(ethTopic), depth: depth$(weth, 60_000) }
    return errorOf(combineFresh(legs, { maxAge: { depth: 20 } }), ' old')
  },
  'a bundle for Node as an ES module': () => bundleErrorOf("import 'ws'", 'node').catch(String),
  'a server in a page': () => bundleErrorOf("import 'node:http'", 'browser').catch(String),
  'two copies of RxJS': async () => {
    const { NEVER } = await otherCopies.CommonJS()
    return thrownBy(() => createTestClient({ prices: { [ethTopic]: NEVER } }))
  },
}

/** The messages of the tables, but those of Node itself and of `verify`. */
const messages = [...readPage('docs/start/questions.md').matchAll(/^\| `([^`]+)` \|/gm)]
  .map(([, message = '']) => message)
  .filter((message) => !/^(?:npm error|SyntaxError|TypeError|Error \[ERR_|error: the replay)/.test(message))

const matches = (text: string, message: string): boolean =>
  new RegExp(message.split('…').map(escaped).join('[^]*')).test(text)

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

it('has a cause for each message of the page', () => {
  expect(messages).toHaveLength(Object.keys(causes).length)
})

it.each(Object.entries(causes))('the page of questions has the message of %s', async (_, cause) => {
  const text = await cause()
  expect(
    messages.filter((message) => matches(text, message)),
    text,
  ).toHaveLength(1)
})
