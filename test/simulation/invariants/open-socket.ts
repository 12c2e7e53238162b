import type { SentPrice } from '../world/price-log.js'
import type { SimulatedProcess } from '../world/process.js'
import type { PortSocket } from '../world/web-socket-transport.js'

/** A topic on the open connection. Times are those in which the process was running, in ms. */
export interface TopicOnSocket {
  /** When the last subscribe frame was sent, unless an unsubscribe frame followed. */
  requestedAt: number | undefined
  /** The time of the world at which the last frame was sent, in ms. */
  sentAt: number
  isConfirmed: boolean
  /** The service has answered the last request with an error text. */
  mayBeRejected: boolean
  /** When the service first confirmed the last request, or sent a price. */
  confirmedAt: number
  /** When the last unsubscribe frame was sent, by the clock of the process. */
  releasedAt: number | undefined
  /** The client has taken a text for the rejection of an earlier request. */
  wasRejected: boolean
  /** Since when the service lists or sends the topic although it is not requested. */
  unaskedSince: number | undefined
  /** The index of the newest price that has arrived; -1 if none has. */
  arrivedIndex: number
  arrivedAt: number
  /** That price may be of an earlier request: a page may know less of the age than the rules do. */
  mayBeDropped: boolean
}

/** A price that a client has read. `at`: in ms. */
export interface ArrivedPrice {
  readonly sent: SentPrice
  readonly at: number
}

/** A frame that a client has sent. `at`: in ms in which the process was running. */
export interface SentFrame {
  readonly base: string
  readonly isSubscribe: boolean
  /** A page subscribes again to a confirmed topic. */
  readonly isProbe: boolean
  readonly at: number
  /** The service has confirmed the topic, or sent a price of it, since. */
  isConfirmed: boolean
  /** When the service answered it by a list of topics; `Infinity` before. */
  answeredAt: number
}

/** The open connection of a client. */
export interface OpenSocket {
  readonly socket: PortSocket
  readonly openedAt: number
  readonly topics: Map<string, TopicOnSocket>
  readonly frames: SentFrame[]
  /** The number of lists of topics that have arrived. */
  lists: number
  /** When the last text has arrived that answers no request for which the client waits: it may be taken for another answer. */
  strayTextAt: number
  /** When the last frame, ping or pong has arrived, in ms in which the process was running. */
  receivedAt: number
  /** When each ping was sent, by the clock of the process, in ms. Empty if the port has none. */
  readonly pings: Map<string, number>
  /** When the newest ping that is answered was sent, and the connection opened before the first answer. */
  measuredAt: number
  /** The prices are known to be current until then, by the last answer in time: in ms in which the process was running. */
  currentUntil: number
  /** The prices that the client has read, by id. One that a gateway has sent again replaces the one before. */
  readonly arrived: Map<number, ArrivedPrice>
}

export const createTopic = (): TopicOnSocket => ({
  ...{ requestedAt: undefined, sentAt: 0, isConfirmed: false, confirmedAt: 0, releasedAt: undefined },
  ...{ mayBeRejected: false, unaskedSince: undefined, arrivedIndex: -1, arrivedAt: 0, mayBeDropped: false },
  wasRejected: false,
})

/** A connection that has just opened. `maxLag`: in ms. */
export const createOpenSocket = (
  socket: PortSocket,
  { now, activeMs }: Pick<SimulatedProcess, 'now' | 'activeMs'>,
  maxLag: number,
): OpenSocket => ({
  ...{ socket, openedAt: activeMs, receivedAt: activeMs, strayTextAt: -Infinity },
  ...{ topics: new Map(), arrived: new Map(), frames: [], lists: 0 },
  ...{ pings: new Map(), measuredAt: now, currentUntil: activeMs + maxLag },
})
