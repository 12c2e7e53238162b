import { checkValue } from './check.js'
import { createFaultControl } from './faults/fault-control.js'
import { closeCode } from './faults/faults.js'
import { createQuotes, type PriceListener } from './market/quotes.js'
import { randomWalk } from './market/random-walk.js'
import { checkOptions, type SimulatorOptions } from './options.js'
import { createHttpServer } from './service/http-server.js'
import { createJournal } from './service/journal.js'
import { host, listen, stopListening } from './service/listen.js'
import type { ReceivedFrame, ReceivedRequest } from './service/received.js'
import type { Service } from './service/service.js'
import { createSocketServer } from './service/socket-server.js'
import type { Simulator } from './simulator.js'

/**
 * Starts the service on loopback, with real sockets: the signed relayer API, and the price reporter over HTTP and
 * WebSocket. Rejects with a `SimulatorError` that says what to do where an option is bad or a port taken, and with
 * the signal's reason where that is aborted already.
 *
 * @example
 * const simulator = await startSimulator({ tokens: ['0xab'], seed: 7, tick: 50 })
 * const client = createClient({ environment: 'mainnet', ...simulator })
 */
export const startSimulator = async (options: SimulatorOptions = {}): Promise<Simulator> => {
  const setup = checkOptions(options)
  const faults = createFaultControl(setup.faults)
  setup.signal?.throwIfAborted()

  const frames = createJournal<ReceivedFrame>()
  const requests = createJournal<ReceivedRequest>()
  const published: PriceListener = (address, price) => sockets.publish(address, price)
  const service: Service = {
    name: setup.service,
    key: Buffer.from(setup.authKey, 'base64'),
    board: createQuotes(setup.market, setup.repeat, published),
    faults,
    now: () => Date.now() + (faults.current.clockOffset ?? 0),
  }
  const sockets = createSocketServer(service, frames)
  const http = createHttpServer(service, requests)

  let closing: Promise<void> | undefined
  const shutDown = async (): Promise<void> => {
    setup.signal?.removeEventListener('abort', abort)
    service.board.close()
    sockets.close()
    await Promise.all([stopListening(http), stopListening(sockets.server)])
  }
  const close = (): Promise<void> => (closing ??= shutDown())
  const abort = () => void close()

  const addresses = async () => {
    const httpPort = await listen(http, setup.httpPort, 'httpPort')
    const wsPort = await listen(sockets.server, setup.wsPort, 'wsPort')
    setup.signal?.throwIfAborted()
    setup.signal?.addEventListener('abort', abort)
    return { baseUrl: `http://${host}:${httpPort}`, priceWsUrl: `ws://${host}:${wsPort}` }
  }
  const { baseUrl, priceWsUrl } = await addresses().catch(async (error: unknown) => {
    await close()
    throw error
  })

  return {
    baseUrl,
    priceBaseUrl: baseUrl,
    priceWsUrl,
    authKey: setup.authKey,
    service: setup.service,
    get tokens() {
      return service.board.tokens
    },
    list: (token) => service.board.list(randomWalk({ tokens: [token], seed: setup.seed, tick: setup.tick })),
    delist: service.board.delist,
    get faults() {
      return faults.current
    },
    inject: faults.inject,
    dropConnections: (code) => {
      if (code !== undefined) checkValue('code', code, closeCode)
      sockets.drop(code)
    },
    send: sockets.send,
    get connections() {
      return sockets.connections
    },
    get upgrades() {
      return sockets.upgrades
    },
    get frames() {
      return frames.entries
    },
    get requests() {
      return requests.entries
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
