import { stopListening } from '../server/listen.js'
import { onAbort } from '../task/on-abort.js'
import { checkValue } from './check.js'
import { createFaultInjector } from './faults/fault-injector.js'
import { closeCode } from './faults/faults.js'
import { createListings, type PublishPrice } from './market/listings.js'
import { randomWalk } from './market/random-walk.js'
import { parseSimulatorOptions, type SimulatorOptions } from './options.js'
import { createHttpServer } from './service/http-server.js'
import { host, listen } from './service/listen.js'
import { createReceivedLog, type ReceivedFrame, type ReceivedRequest } from './service/received-log.js'
import type { ServiceContext } from './service/service-context.js'
import { createSocketServer } from './service/socket-server.js'
import type { Simulator } from './simulator.js'

/**
 * Starts a simulator of the service on loopback, with real sockets: the signed relayer API, and the price reporter over
 * HTTP and WebSocket. Rejects with a `SimulatorError` if an option is invalid or a port is in use, and with the
 * signal's reason if the signal is aborted.
 *
 * @example
 * const simulator = await startSimulator({ tokens: ['0xab'], seed: 7, tick: 50 })
 * const client = createClient({ environment: 'mainnet', ...simulator })
 */
export const startSimulator = async (options: SimulatorOptions = {}): Promise<Simulator> => {
  const setup = parseSimulatorOptions(options)
  const faults = createFaultInjector(setup.faults)
  setup.signal?.throwIfAborted()

  const frames = createReceivedLog<ReceivedFrame>()
  const requests = createReceivedLog<ReceivedRequest>()
  const publish: PublishPrice = (address, price) => sockets.publish(address, price)
  const listings = createListings(setup.market, setup.repeat, publish)
  const context: ServiceContext = {
    name: setup.service,
    key: Buffer.from(setup.authKey, 'base64'),
    cors: setup.cors,
    listings,
    faults,
    now: () => Date.now() + (faults.current.clockOffset ?? 0),
  }
  const sockets = createSocketServer(context, frames)
  const http = createHttpServer(context, requests)

  let closing: Promise<void> | undefined
  let unregister = (): void => undefined
  const shutDown = async (): Promise<void> => {
    unregister()
    listings.close()
    sockets.close()
    await Promise.all([stopListening(http), stopListening(sockets.server)])
  }
  const close = (): Promise<void> => (closing ??= shutDown())

  const listenAll = async () => {
    const httpPort = await listen(http, setup.httpPort, 'httpPort')
    const wsPort = await listen(sockets.server, setup.wsPort, 'wsPort')
    setup.signal?.throwIfAborted()
    if (setup.signal !== undefined) unregister = onAbort(setup.signal, () => void close())
    return { baseUrl: `http://${host}:${httpPort}`, priceWsUrl: `ws://${host}:${wsPort}` }
  }
  const { baseUrl, priceWsUrl } = await listenAll().catch(async (error: unknown) => {
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
      return listings.tokens
    },
    list: (token) => listings.list(randomWalk({ tokens: [token], seed: setup.seed, tick: setup.tick })),
    delist: listings.delist,
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
