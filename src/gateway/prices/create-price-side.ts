import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Subscription, timer } from 'rxjs'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import type { PriceClient } from '../../client/client.js'
import { priceFeedOf } from '../../client/price-feed.js'
import { handleMessage } from './client-messages.js'
import { Demand } from './demand.js'
import { Outbox } from './outbox.js'
import { pingAll } from './ping-all.js'
import type { PriceSide, PriceSideConfig } from './price-side.js'
import { refuseUpgrade } from '../../server/refuse-upgrade.js'
import { Session, tryAgainLater } from './session.js'
import type { TopicFeed } from './topic-feed.js'
import { Upstream } from './upstream.js'

/** A longer message closes its connection with 1009. */
const maxMessageBytes = 16 * 1024

/** The time from the close frame to the end of the connection, in ms. */
const closeTime = 400

/** The time after the return of the service in which consumers can request their topics again, in ms. */
const returnTime = 7_000

/** The close code of a server that shuts down (RFC 6455, section 7.4.1). */
const goingAway = 1001

/** Serves the live prices of a client over WebSockets, by the protocol of the service. */
export const createPriceSide = (client: PriceClient, config: PriceSideConfig): PriceSide => {
  const { service, maxConnections, maxTopicsPerConnection } = config
  const sessions = new Set<Session>()
  const outbox = new Outbox()
  const upgrader = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: false,
  })

  const endAll = (code: number, reason: string): void => {
    for (const session of [...sessions]) session.end(code, reason, closeTime)
  }

  let returning = new Subscription()
  const upstream = new Upstream<TopicFeed>({
    onDown: (reason) => {
      returning.unsubscribe()
      demand.hold()
      endAll(tryAgainLater, `the service is down: ${reason}`)
    },
    onUp: () => {
      returning = timer(returnTime).subscribe(() => demand.release())
    },
  })
  const demand = new Demand(priceFeedOf(client), {
    onDisconnected: (feed, { reason }) => upstream.onDisconnected(feed, reason),
    onConnected: (feed) => upstream.onConnected(feed),
    onCompleted: (feed) => {
      upstream.onConnected(feed)
      demand.delete(feed)
    },
  })
  upstream.start(client)

  const context = { demand, service, maxTopicsPerConnection }

  const accept = (webSocket: WebSocket, socket: Duplex): void => {
    const session = new Session(webSocket, socket, {
      ...config,
      outbox,
      onLeft: (feed) => demand.releaseUnwanted(feed),
    })
    sessions.add(session)
    webSocket.on('message', (data: RawData, isBinary) => {
      if (isBinary) session.sendText('Invalid request: expected a text frame')
      else handleMessage(context, session, (data as Buffer).toString())
    })
    webSocket.on('pong', () => session.onPong())
    // `ws` closes the connection after an error, such as a frame that violates the protocol.
    webSocket.on('error', () => undefined)
    webSocket.on('close', () => {
      sessions.delete(session)
      session.onClosed()
    })
  }

  const pings = pingAll(sessions)

  return {
    upgrade: (request, socket, head) => {
      if (pathOf(request) !== '/') return refuseUpgrade(socket, 404, 'expected the path /')
      if (!upstream.isUp) return refuseUpgrade(socket, 503, 'the service is down')
      if (sessions.size >= maxConnections) {
        return refuseUpgrade(socket, 503, `the gateway has its ${maxConnections} connections`)
      }
      upgrader.handleUpgrade(request, socket, head, (webSocket) => accept(webSocket, socket))
    },
    isUp: () => upstream.isUp,
    upstream: () => upstream.status,
    snapshot: () => ({ connections: sessions.size, topics: demand.snapshot() }),
    close: () => {
      pings.unsubscribe()
      returning.unsubscribe()
      upstream.close()
      endAll(goingAway, 'the gateway is closing')
      demand.close()
    },
  }
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?')[0] ?? ''
