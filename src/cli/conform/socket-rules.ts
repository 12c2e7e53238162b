import { readFrame, subscribeFrame, unsubscribeFrame } from '../../codec/price-frame.js'
import { addressOf, baseAddressOf, serviceOf, type Topic } from '../../domain/topic.js'
import { Peer, type PeerEvent } from './peer.js'
import {
  failed,
  failedIf,
  notTested,
  passed,
  quoted,
  unknownAddress,
  type ConformTarget,
  type Verdict,
  type Verdicts,
} from './rules.js'

const pingPayload = 'conform'

/**
 * Checks the WebSocket over two connections. The first one is for the tests. The other one keeps its topic, to show
 * whether prices arrive in the meantime.
 */
export const checkSocket = async (target: ConformTarget, isGateway: boolean): Promise<Verdicts> => {
  const { webSocket, limit } = target
  const main = new Peer(webSocket, limit)
  const other = new Peer(webSocket, limit)
  try {
    for (const peer of [main, other]) {
      if ((await peer.find(({ _tag }) => _tag === 'Opened', 0)) === undefined) return notOpened(peer, limit)
    }
    return { 'socket-opens': passed, ...(await checkOpen(target, isGateway, main, other)) }
  } finally {
    await Promise.all([main.close(), other.close()])
  }
}

const notOpened = ({ closed }: Peer, limit: number): Verdicts => {
  if (closed === undefined) return { 'socket-opens': failed(`no response in ${limit} ms`) }
  const { reason, status } = closed
  const advice = status === undefined ? '' : '; if the WebSocket has another address, give --price-ws-url'
  return { 'socket-opens': failed(`${reason}${advice}`) }
}

const checkOpen = async (
  target: ConformTarget,
  isGateway: boolean,
  main: Peer,
  other: Peer,
): Promise<Verdicts> => {
  const { topic, limit } = target
  const nothing = `no answer in ${limit} ms`
  const isPrice = isPriceOf(topic)

  const answer = await main.ask(subscribeFrame(topic), (text) => confirms(topic)(text) || isErrorText(text))
  const isConfirmed = answer !== undefined && confirms(topic)(answer)
  const noAnswer = main.closed === undefined ? nothing : closedText(main.closed)
  const confirmed: Verdict = isConfirmed ? passed : failed(answer === undefined ? noAnswer : quoted(answer))
  const isPriced = (await main.findText(isPrice, 0)) !== undefined

  const ages = await checkAges(target, isGateway, isPriced ? main : undefined, other)
  const repeated = await main.ask(subscribeFrame(topic), confirms(topic))
  const malformed = await main.ask('no JSON', isErrorText)
  const badTopic = await main.ask(subscribeFrame(`${serviceOf(topic)}-no-address` as Topic), isErrorText)
  const rejection = await main.ask(unknownSubscribe(topic), isErrorText)
  main.ping(pingPayload)
  const pong = await main.find((event) => event._tag === 'Pong' && event.payload === pingPayload, 0)
  const open = main.closed
  const ends = isConfirmed
    ? await checkUnsubscribe(target, main, other)
    : notTested('the topic is not confirmed')

  const events = [...main.events, ...other.events]
  const answered = (answer: unknown): Verdict => {
    if (answer !== undefined) return passed
    return open === undefined ? failed(nothing) : notTested(closedText(open))
  }
  const hasFrame = events.some(({ _tag }) => _tag === 'Text' || _tag === 'Binary')
  const badPrice = malformedPrice(events)
  const badFrame = unknownFrame(events)
  const foreign = foreignPrice(events, topic)
  return {
    'subscribe-confirmed': confirmed,
    'price-sent': isPriced
      ? passed
      : notTested(`no price of ${topic} in ${limit} ms; choose another one by --topic`),
    'price-form': isPriced ? failedIf(badPrice && quoted(badPrice)) : notTested('no price came'),
    'frame-form': hasFrame ? failedIf(badFrame && quoted(badFrame)) : notTested('no frame came'),
    'subscribed-only': hasFrame ? failedIf(foreign && quoted(foreign)) : notTested('no frame came'),
    'subscribe-repeated': isConfirmed ? answered(repeated) : notTested('the topic is not confirmed'),
    'token-rejected': answered(rejection),
    'topic-rejected': answered(badTopic),
    'malformed-answered': open === undefined ? answered(malformed) : failed(closedText(open)),
    'ping-answered': answered(pong),
    'unsubscribe-ends': ends,
    ...ages,
  }
}

const closedText = ({ code, reason }: { readonly code: number; readonly reason: string }): string =>
  `the connection was closed with ${code}${reason === '' ? '' : `: ${reason}`}`

const unknownSubscribe = (topic: Topic): string => subscribeFrame(`${serviceOf(topic)}-${unknownAddress}`)

/** A price that arrives in the same ms as the subscribe has no age, so a gateway gets several subscribes. */
const maxJoins = 30

/** Subscribes on the other connection once `main` has a price: checks the first two prices there. */
const checkAges = async (
  { topic, limit }: ConformTarget,
  isGateway: boolean,
  main: Peer | undefined,
  other: Peer,
): Promise<Verdicts> => {
  const isPrice = isValidPriceOf(topic)
  let first = await other.ask(subscribeFrame(topic), isPrice)
  if (main === undefined || first === undefined) {
    const why = notTested('no price came')
    return { 'age-first': why, 'age-live': isGateway ? why : notGateway }
  }
  if (!isGateway)
    return {
      'age-first': failedIf(ageOf(first) === undefined ? undefined : quoted(first)),
      'age-live': notGateway,
    }
  for (let joins = 1; joins < maxJoins && ageOf(first) === undefined; joins++) {
    other.send(unsubscribeFrame(topic))
    await main.findText(isPrice, main.events.length)
    // The unsubscribe was read, and that price is some time old.
    await other.ask(unknownSubscribe(topic), isErrorText)
    first = (await other.ask(subscribeFrame(topic), isPrice)) ?? first
  }
  const firstAt = other.events.findLastIndex((event) => event._tag === 'Text' && event.text === first)
  const isLive = (text: string) => isPrice(text) && ageOf(text) === undefined
  const live = await other.findText(isLive, firstAt + 1)
  const next = textsOf(other.events.slice(firstAt + 1)).find(isPrice)
  return {
    'age-first': failedIf(ageOf(first) === undefined ? quoted(first) : undefined),
    'age-live':
      next === undefined
        ? notTested(`no further price in ${limit} ms`)
        : failedIf(live === undefined ? quoted(next) : undefined),
  }
}

export const notGateway = notTested('not a gateway')

/**
 * The answer to a later message shows that the unsubscribe was read. Two prices on the other connection show that
 * prices arrive. An answer to one more message shows that all frames sent in that time have arrived.
 */
const checkUnsubscribe = async (
  { topic, limit }: ConformTarget,
  main: Peer,
  other: Peer,
): Promise<Verdict> => {
  main.send(unsubscribeFrame(topic))
  if ((await main.ask(unknownSubscribe(topic), isErrorText)) === undefined)
    return notTested('the connection answers no further message')
  const from = main.events.length
  const isPrice = isPriceOf(topic)
  for (let prices = 0; prices < 2; prices++) {
    if ((await other.findText(isPrice, other.events.length)) === undefined)
      return notTested(`no price came in ${limit} ms meanwhile`)
  }
  await main.ask(unknownSubscribe(topic), isErrorText)
  const late = textsOf(main.events.slice(from)).find(isPrice)
  return failedIf(
    late === undefined ? undefined : `${quoted(late)} after the unsubscribe of ${addressOf(topic)}`,
  )
}

/** True if a topic in a frame is the topic, in any spelling that the protocol allows. */
const isSame = (received: string, topic: Topic): boolean => {
  const service = serviceOf(topic)
  const base = baseAddressOf(topic, service)
  return base !== undefined && baseAddressOf(received, service) === base
}

const confirms =
  (topic: Topic) =>
  (text: string): boolean => {
    const frame = readFrame(text)
    return frame._tag === 'Confirmation' && frame.subscriptions.some((listed) => isSame(listed, topic))
  }

export const isErrorText = (text: string): boolean => readFrame(text)._tag === 'ErrorText'

/** A price update of the topic, valid or not. */
const isPriceOf =
  (topic: Topic) =>
  (text: string): boolean => {
    const frame = readFrame(text)
    const named = frame._tag === 'PriceUpdate' || frame._tag === 'Malformed' ? frame.topic : undefined
    return named !== undefined && isSame(named, topic)
  }

/** A price update of the topic with a valid price. */
const isValidPriceOf =
  (topic: Topic) =>
  (text: string): boolean =>
    readFrame(text)._tag === 'PriceUpdate' && isPriceOf(topic)(text)

const ageOf = (text: string): number | undefined => {
  const frame = readFrame(text)
  return frame._tag === 'PriceUpdate' ? frame.age : undefined
}

/** The first price update without a valid price. */
const malformedPrice = (events: readonly PeerEvent[]): string | undefined =>
  textsOf(events).find((text) => {
    const frame = readFrame(text)
    return frame._tag === 'Malformed' && frame.topic !== undefined
  })

/** The first frame that is not part of the protocol. */
const unknownFrame = (events: readonly PeerEvent[]): string | undefined => {
  for (const event of events) {
    if (event._tag === 'Binary') return 'a binary frame'
    const frame = event._tag === 'Text' ? readFrame(event.text) : undefined
    if (frame?._tag === 'Malformed' && frame.topic === undefined) return textOf(event)
  }
  return undefined
}

/** The first price update of another topic. */
const foreignPrice = (events: readonly PeerEvent[], topic: Topic): string | undefined =>
  textsOf(events).find((text) => {
    const frame = readFrame(text)
    return frame._tag === 'PriceUpdate' && !isSame(frame.topic, topic)
  })

const textsOf = (events: readonly PeerEvent[]): readonly string[] =>
  events.flatMap((event) => (event._tag === 'Text' ? [event.text] : []))

const textOf = (event: PeerEvent): string => (event._tag === 'Text' ? event.text : event._tag)
