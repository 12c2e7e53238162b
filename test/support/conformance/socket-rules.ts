import { addressOf, baseAddressOf, serviceOf, type Topic } from '../../../src/base/domain/topic.js'
import { subscribeFrame, unsubscribeFrame } from '../../../src/wire/codec/price-frame.js'
import { Peer, type PeerEvent, type TextMessage } from './peer.js'
import {
  brokenIf,
  notTested,
  passed,
  quoted,
  unknownAddress,
  type ConformanceTarget,
  type Verdict,
  type Verdicts,
} from './rules.js'

/**
 * Checks the WebSocket over two connections. The first one is for the tests. The other one keeps its topic, to show
 * whether prices arrive in the meantime.
 */
export const checkSocket = async (target: ConformanceTarget, isGateway: boolean): Promise<Verdicts> => {
  const main = new Peer(target.webSocket, target.limit)
  const other = new Peer(target.webSocket, target.limit)
  const opened = (await main.opens()) && (await other.opens())
  const verdicts = opened ? await checkOpen(target, isGateway, main, other) : {}
  main.close()
  other.close()
  return { 'socket-opens': opened ? passed : 'the WebSocket does not open', ...verdicts }
}

const pingPayload = 'conformance'

/** The rules that need an open WebSocket. */
const checkOpen = async (
  target: ConformanceTarget,
  isGateway: boolean,
  main: Peer,
  other: Peer,
): Promise<Verdicts> => {
  const { topic } = target
  const isConfirmation = confirms(topic)
  const answered = (found: unknown): Verdict => brokenIf(found === undefined ? 'no answer' : undefined)

  const confirmation = await main.ask(subscribeFrame(topic), isConfirmation)
  const price = await main.findText(isPriceOf(topic), 0)
  const ages =
    price === undefined
      ? { 'age-first': notTested, 'age-live': notTested }
      : await checkAges(topic, isGateway, main, other)
  const repeated = confirmation && (await main.ask(subscribeFrame(topic), isConfirmation))
  const malformed = await main.ask('no JSON', isErrorText)
  const badTopic = await main.ask(subscribeFrame(`${serviceOf(topic)}-no-address` as Topic), isErrorText)
  const { closed } = main
  const badToken = await main.ask(unknownSubscribe(topic), isErrorText)
  main.ping(pingPayload)
  const pong = await main.find((event) => event._tag === 'Pong' && event.payload === pingPayload, 0)
  const unsubscribed = confirmation && (await checkUnsubscribe(topic, main, other))
  return {
    'subscribe-confirmed': answered(confirmation),
    'price-sent': brokenIf(price === undefined ? 'no price' : undefined),
    ...ages,
    'subscribe-repeated': confirmation === undefined ? notTested : answered(repeated),
    'malformed-answered': closed === undefined ? answered(malformed) : `closed with ${closed.code}`,
    'topic-rejected': answered(badTopic),
    'token-rejected': answered(badToken),
    'ping-answered': answered(pong),
    'unsubscribe-ends': unsubscribed ?? notTested,
    ...formVerdicts([...main.events, ...other.events], topic),
  }
}

/** The verdicts about all frames of both connections. */
const formVerdicts = (events: readonly PeerEvent[], topic: Topic): Verdicts => {
  const messages = messagesOf(events)
  const first = (matches: (message: TextMessage) => boolean): Verdict => {
    const found = messages.find(matches)
    return brokenIf(found && quoted(found.text))
  }
  const isBinary = events.some(({ _tag }) => _tag === 'Binary')
  return {
    'price-form': first(({ frame }) => frame._tag === 'Malformed' && frame.topic !== undefined),
    'frame-form': isBinary
      ? 'got a binary frame'
      : first(({ frame }) => frame._tag === 'Malformed' && frame.topic === undefined),
    'subscribed-only': first(({ frame }) => frame._tag === 'PriceUpdate' && !isSame(frame.topic, topic)),
  }
}

const unknownSubscribe = (topic: Topic): string => subscribeFrame(`${serviceOf(topic)}-${unknownAddress}`)

/** A price that arrives in the same ms as the subscribe has no age, so a gateway gets several subscribes. */
const maxJoins = 30

/** Subscribes on the other connection once `main` has a price: checks the first two prices there. */
const checkAges = async (topic: Topic, isGateway: boolean, main: Peer, other: Peer): Promise<Verdicts> => {
  const isPrice = isValidPriceOf(topic)
  let first = await other.ask(subscribeFrame(topic), isPrice)
  if (first === undefined) return { 'age-first': notTested, 'age-live': notTested }
  if (!isGateway)
    return {
      'age-first': brokenIf(ageOf(first) === undefined ? undefined : quoted(first.text)),
      'age-live': notTested,
    }
  for (let joins = 1; joins < maxJoins && ageOf(first) === undefined; joins++) {
    other.send(unsubscribeFrame(topic))
    await main.findText(isPrice, main.events.length)
    // The unsubscribe was read, and that price is some time old.
    await other.ask(unknownSubscribe(topic), isErrorText)
    first = (await other.ask(subscribeFrame(topic), isPrice)) ?? first
  }
  const firstAt = other.events.findLastIndex((event) => event === first)
  const isLive = (message: TextMessage) => isPrice(message) && ageOf(message) === undefined
  const live = await other.findText(isLive, firstAt + 1)
  return {
    'age-first': brokenIf(ageOf(first) === undefined ? quoted(first.text) : undefined),
    'age-live': brokenIf(live === undefined ? 'no price without an age' : undefined),
  }
}

/**
 * The answer to a later message shows that the unsubscribe was read. Two prices on the other connection show that
 * prices arrive. An answer to one more message shows that all frames sent in that time have arrived.
 */
const checkUnsubscribe = async (topic: Topic, main: Peer, other: Peer): Promise<Verdict> => {
  main.send(unsubscribeFrame(topic))
  if ((await main.ask(unknownSubscribe(topic), isErrorText)) === undefined) return notTested
  const from = main.events.length
  const isPrice = isPriceOf(topic)
  for (let prices = 0; prices < 2; prices++)
    if ((await other.findText(isPrice, other.events.length)) === undefined) return notTested
  await main.ask(unknownSubscribe(topic), isErrorText)
  const late = messagesOf(main.events.slice(from)).find(isPrice)
  return brokenIf(late && `${quoted(late.text)} after the unsubscribe of ${addressOf(topic)}`)
}

/** True if a topic in a frame is the topic, in any spelling that the protocol allows. */
const isSame = (received: string, topic: Topic): boolean => {
  const service = serviceOf(topic)
  const base = baseAddressOf(topic, service)
  return base !== undefined && baseAddressOf(received, service) === base
}

const confirms =
  (topic: Topic) =>
  ({ frame }: TextMessage): boolean =>
    frame._tag === 'Confirmation' && frame.subscriptions.some((listed) => isSame(listed, topic))

export const isErrorText = ({ frame }: TextMessage): boolean => frame._tag === 'ErrorText'

/** A price update of the topic, valid or not. */
const isPriceOf =
  (topic: Topic) =>
  ({ frame }: TextMessage): boolean => {
    const named = frame._tag === 'PriceUpdate' || frame._tag === 'Malformed' ? frame.topic : undefined
    return named !== undefined && isSame(named, topic)
  }

/** A price update of the topic with a valid price. */
const isValidPriceOf =
  (topic: Topic) =>
  ({ frame }: TextMessage): boolean =>
    frame._tag === 'PriceUpdate' && isSame(frame.topic, topic)

const ageOf = ({ frame }: TextMessage): number | undefined =>
  frame._tag === 'PriceUpdate' ? frame.age : undefined

const messagesOf = (events: readonly PeerEvent[]): readonly TextMessage[] =>
  events.flatMap((event) => (event._tag === 'Text' ? [event] : []))
