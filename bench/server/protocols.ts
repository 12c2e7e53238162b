/** A client's subscription: the topic, and the id that addresses it in price frames. */
export interface Subscription {
  readonly topic: string
  readonly id: string
}

/** A wire protocol: its subscribe messages, and its price frames. */
export interface Protocol {
  readonly receive: (text: string, callbacks: ProtocolCallbacks) => void
  /** The text of a price frame. `price` is JSON. */
  readonly price: (subscription: Subscription, price: string) => string
  /** True if the topics come in turn: a client may lose a price that follows another of its topic in one chunk. */
  readonly isInTurn?: boolean
}

export interface ProtocolCallbacks {
  readonly reply: (message: unknown) => void
  readonly subscribed: (subscription: Subscription) => void
}

/** The service's own protocol: one confirmation per topic, then its prices. */
const service: Protocol = {
  receive: (text, { reply, subscribed }) => {
    const { method, topic } = JSON.parse(text) as { readonly method: string; readonly topic: string }
    if (method !== 'subscribe') return
    reply({ subscriptions: [topic] })
    subscribed({ topic, id: topic })
  },
  price: ({ topic }, price) => `{"topic":"${topic}","price":${price}}`,
}

/** The same, with a price after each confirmation. */
const firstPrice: Protocol = {
  ...service,
  receive: (text, { reply, subscribed }) =>
    service.receive(text, {
      reply,
      subscribed: (subscription) => {
        subscribed(subscription)
        reply({ topic: subscription.topic, price: 1.5 })
      },
    }),
}

/** The same, with the topics in turn. */
const inTurn: Protocol = { ...service, isInTurn: true }

interface GraphqlMessage {
  readonly type: string
  readonly id: string
  readonly payload?: { readonly variables: { readonly topic: string } }
}

/** graphql-transport-ws. */
const graphql: Protocol = {
  receive: (text, { reply, subscribed }) => {
    const { type, id, payload } = JSON.parse(text) as GraphqlMessage
    if (type === 'connection_init') reply({ type: 'connection_ack' })
    else if (type === 'subscribe' && payload !== undefined) subscribed({ topic: payload.variables.topic, id })
  },
  price: ({ topic, id }, price) =>
    `{"id":"${id}","type":"next","payload":{"data":{"price":{"topic":"${topic}","price":${price}}}}}`,
}

interface CentrifugeCommand {
  readonly id: number
  readonly connect?: object
  readonly subscribe?: { readonly channel: string }
}

/** The JSON protocol of centrifuge: one command per line. */
const centrifuge: Protocol = {
  receive: (text, { reply, subscribed }) => {
    for (const line of text.split('\n')) {
      const { id, connect, subscribe } = JSON.parse(line) as CentrifugeCommand
      if (connect !== undefined) reply({ id, connect: { client: 'bench', version: 'bench' } })
      if (subscribe === undefined) continue
      reply({ id, subscribe: {} })
      subscribed({ topic: subscribe.channel, id: subscribe.channel })
    }
  },
  price: ({ topic, id }, price) =>
    `{"push":{"channel":"${id}","pub":{"data":{"topic":"${topic}","price":${price}}}}}`,
}

/** Protocols by the path of the upgrade request. */
export const protocols: Readonly<Record<string, Protocol>> = {
  '/': service,
  '/first-price': firstPrice,
  '/in-turn': inTurn,
  '/graphql': graphql,
  '/centrifuge': centrifuge,
}
