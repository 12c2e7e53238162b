import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startSimulator, type Market, type Simulator } from 'svc-streams/simulator'
import { inject, onTestFinished } from 'vitest'
import { startHttpServer } from '../../support/network/servers.js'
import { installedCommand, runOrThrow } from './run.js'

// The pages of `examples/store`, built by Vite, and a market for them.

const tokens = Array.from({ length: 50 }, (_, index) => ({
  address: `0x${(index + 1).toString(16).padStart(40, '0')}` as const,
  symbol: `T${index + 1}`,
  decimals: 18,
}))

export interface StoreMarket {
  readonly simulator: Simulator
  /** The query of a page that shows all 50 tokens. */
  readonly query: string
  /** Publishes a price of each token, above all before. */
  readonly publish: () => void
  /** Publishes 1000 prices a second, in bursts of two per token, until `count` are published. Resolves to the last price. */
  readonly publishMany: (count: number) => Promise<number>
  /** The number of topics in the received frames of a method. To probe its connection, a page repeats a subscribe. */
  readonly countTopics: (method: 'subscribe' | 'unsubscribe') => number
}

/** Starts a simulator with 50 tokens at 1 USD. Closes it after the test. */
export const startStoreMarket = async (): Promise<StoreMarket> => {
  let price = 1
  let emit: Parameters<Market['open']>[0] = () => undefined
  const quoteAll = (): void => {
    for (const { address } of tokens) emit({ token: address, price, buy: 1n, sell: 1n })
  }
  const market: Market = {
    tokens,
    open: (listener) => {
      emit = listener
      quoteAll()
      return () => undefined
    },
  }
  const publish = (): void => {
    price++
    quoteAll()
  }
  const simulator = await startSimulator({ market })
  onTestFinished(() => simulator.close())
  const { priceBaseUrl, priceWsUrl } = simulator
  const listed = tokens.map(({ symbol, address }) => `${symbol}=${address}`).join(',')
  return {
    simulator,
    query: `?${new URLSearchParams({ priceBaseUrl, priceWsUrl, tokens: listed }).toString()}`,
    publish,
    publishMany: async (count) => {
      for (let published = 0; published < count; published += 2 * tokens.length) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        publish()
        publish()
      }
      return price
    },
    countTopics: (method) =>
      new Set(simulator.frames.map(({ text }) => text).filter((text) => text.includes(`"${method}"`))).size,
  }
}

/** What a page counts, in `globalThis.probe`. */
export interface Probe {
  /** The WebSockets that it has opened. */
  readonly sockets: number
  /** The frames that it has received. */
  readonly messages: number
  /** The callbacks that wait for an animation frame. */
  readonly waiting: number
  /** The animation frames since its start. */
  readonly frames: number
}

/** A script that runs before those of a page. */
export const probeScript = `
  const probe = { sockets: 0, messages: 0, waiting: 0, frames: 0 }
  globalThis.probe = probe
  const countFrames = () => (probe.frames++, nativeFrame(countFrames))
  const nativeFrame = requestAnimationFrame.bind(globalThis)
  const nativeCancel = cancelAnimationFrame.bind(globalThis)
  nativeFrame(countFrames)
  globalThis.requestAnimationFrame = (callback) => {
    probe.waiting++
    return nativeFrame((time) => (probe.waiting--, callback(time)))
  }
  globalThis.cancelAnimationFrame = (handle) => (probe.waiting--, nativeCancel(handle))
  globalThis.WebSocket = class extends WebSocket {
    constructor(...parameters) {
      super(...parameters)
      // The client connects to the simulator, and the server of Vite to the page.
      if (parameters[1]?.includes?.('vite-hmr') || parameters[1]?.includes?.('vite-ping')) return
      probe.sockets++
      this.addEventListener('message', () => probe.messages++)
    }
  }`

export const frameworks = ['react', 'svelte', 'vanilla'] as const

/** Builds the pages with the settings of the example. Resolves to a function that serves them and returns the origin. */
export const buildStorePages = async (): Promise<() => Promise<string>> => {
  const { bundlers: folder } = inject('packed')
  const out = join(folder, 'out/store')
  const args = ['build', 'store', '--outDir', out, '--emptyOutDir']
  await runOrThrow(installedCommand(folder, 'vite'), args, { cwd: folder })
  return () =>
    startHttpServer((request, response) => {
      const [path = ''] = (request.url ?? '').split('?')
      void answer(join(out, path.endsWith('/') ? `${path}index.html` : path)).then(
        ({ type, body }) => response.setHeader('Content-Type', type).end(body),
        () => response.writeHead(404).end(),
      )
    })
}

const answer = async (file: string): Promise<{ readonly type: string; readonly body: string }> => {
  const text = await readFile(file, 'utf8')
  if (file.endsWith('.html')) {
    return { type: 'text/html', body: text.replace('<head>', `<head><script>${probeScript}</script>`) }
  }
  return { type: file.endsWith('.js') ? 'text/javascript' : 'text/css', body: text }
}
