import { subscribeFrame, unsubscribeFrame } from '../../wire/codec/price-frame.js'
import { addressOf, baseAddressOf, serviceOf, type Topic } from '../../base/domain/topic.js'
import { Peer, type Closed, type PeerEvent, type TextMessage } from './peer.js'
import {
  failed,
  failedIf,
  forRules,
  notGateway,
  notTested,
  passed,
  quoted,
  unknownAddress,
  type ConformTarget,
  type Report,
  type RuleId,
  type Verdict,
  type Verdicts,
} from './rules.js'

const pingPayload = 'conform'

/**
 * Checks the WebSocket over two connections. The first one is for the tests. The other one keeps its topic, to show
 * whether prices arrive in the meantime.
 */
export const checkSocket = async (
  target: ConformTarget,
  isGateway: boolean,
  report: Report,
): Promise<void> => {
  const main = new Peer(target)
  const other = new Peer(target)
  try {
    for (const peer of [main, other]) {
      if ((await peer.find(({ _tag }) => _tag === 'Opened', 0)) !== undefined) continue
      report({ 'socket-opens': failed(refusalText(peer, target.limit)) })
      report(forRules(openRules, notTested('the WebSocket does not open')))
      return
    }
    report({ 'socket-opens': passed })
    await checkOpen(target, isGateway, main, other, report)
  } finally {
    await Promise.all([main.close(), other.close()])
  }
}

/** The rules that need an open WebSocket. */
export const openRules: readonly RuleId[] = [
  'subscribe-confirmed',
  'price-sent',
  'age-first',
  'age-live',
  'subscribe-repeated',
  'malformed-answered',
  'topic-rejected',
  'token-rejected',
  'ping-answered',
  'unsubscribe-ends',
  'price-form',
  'frame-form',
  'subscribed-only',
]

const refusalText = ({ closed }: Peer, limit: number): string => {
  if (closed === undefined) return `no response in ${limit} ms`
  const { reason, status } = closed
  return status === undefined
    ? reason
    : `${reason}; if the WebSocket has another address, give --price-ws-url`
}

const checkOpen = async (
  target: ConformTarget,
  isGateway: boolean,
  main: Peer,
  other: Peer,
  report: Report,
): Promise<void> => {
  const { topic, limit } = target
  const nothing = failed(`no answer in ${limit} ms`)
  const isConfirmation = confirms(topic)

  const answer = await main.ask(
    subscribeFrame(topic),
    (message) => isConfirmation(message) || isErrorText(message),
  )
  const isConfirmed = answer !== undefined && isConfirmation(answer)
  const noConfirmation = main.closed === undefined ? nothing : failed(closedText(main.closed))
  report({
    'subscribe-confirmed': isConfirmed
      ? passed
      : answer === undefined
        ? noConfirmation
        : failed(quoted(answer.text)),
  })
  const isPriced = (await main.findText(isPriceOf(topic), 0)) !== undefined
  const notPriced =
    main.closed === undefined
      ? `no price of ${topic} in ${limit} ms; choose another one by --topic`
      : closedText(main.closed)
  report({ 'price-sent': isPriced ? passed : notTested(notPriced) })
  report(await checkAges(target, isGateway, isPriced ? main : undefined, other))

  /** Passed, or why a message has no answer. */
  const answered = (found: unknown): Verdict => {
    if (found !== undefined) return passed
    return main.closed === undefined ? nothing : notTested(closedText(main.closed))
  }
  const notConfirmed = notTested('the topic is not confirmed')
  report({
    'subscribe-repeated': isConfirmed
      ? answered(await main.ask(subscribeFrame(topic), isConfirmation))
      : notConfirmed,
  })
  const wasOpen = main.closed === undefined
  const malformed = await main.ask('no JSON', isErrorText)
  const badTopic = await main.ask(subscribeFrame(`${serviceOf(topic)}-no-address` as Topic), isErrorText)
  // A server that closes because of the malformed frame breaks the rule. One that has closed before is not tested.
  const closed = wasOpen ? closedByServer(main) : undefined
  report({
    'malformed-answered': closed === undefined ? answered(malformed) : failed(closedText(closed)),
    'topic-rejected': answered(badTopic),
  })
  report({ 'token-rejected': answered(await main.ask(unknownSubscribe(topic), isErrorText)) })
  main.ping(pingPayload)
  const isPong = (event: PeerEvent) => event._tag === 'Pong' && event.payload === pingPayload
  report({ 'ping-answered': answered(await main.find(isPong, 0)) })
  report({ 'unsubscribe-ends': isConfirmed ? await checkUnsubscribe(target, main, other) : notConfirmed })
  report(formVerdicts([...main.events, ...other.events], topic, isPriced))
}

/** The verdicts about all frames of both connections. */
const formVerdicts = (events: readonly PeerEvent[], topic: Topic, isPriced: boolean): Verdicts => {
  const badPrice = malformedPrice(events)
  const badFrame = unknownFrame(events)
  const foreign = foreignPrice(events, topic)
  const noFrame = events.every(({ _tag }) => _tag !== 'Text' && _tag !== 'Binary')
  const unlessSilent = (bad: string | undefined): Verdict =>
    noFrame ? notTested('no frame came') : failedIf(bad)
  return {
    'price-form': isPriced ? failedIf(badPrice && quoted(badPrice)) : notTested('no price came'),
    'frame-form': unlessSilent(badFrame),
    'subscribed-only': unlessSilent(foreign && quoted(foreign)),
  }
}

const closedByServer = ({ closed }: Peer): Closed | undefined => (closed?.isOwn === true ? undefined : closed)

const closedText = ({ code, reason, isOwn }: Closed): string =>
  isOwn
    ? `this command closed the connection: ${reason}`
    : `the connection was closed with ${code}${reason === '' ? '' : `: ${reason}`}`

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
      'age-first': failedIf(ageOf(first) === undefined ? undefined : quoted(first.text)),
      'age-live': notGateway,
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
  const next = messagesOf(other.events.slice(firstAt + 1)).find(isPrice)
  return {
    'age-first': failedIf(ageOf(first) === undefined ? quoted(first.text) : undefined),
    'age-live':
      next === undefined
        ? notTested(`no further price in ${limit} ms`)
        : failedIf(live === undefined ? quoted(next.text) : undefined),
  }
}

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
  const late = messagesOf(main.events.slice(from)).find(isPrice)
  return failedIf(
    late === undefined ? undefined : `${quoted(late.text)} after the unsubscribe of ${addressOf(topic)}`,
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

/** The first price update without a valid price. */
const malformedPrice = (events: readonly PeerEvent[]): string | undefined =>
  messagesOf(events).find(({ frame }) => frame._tag === 'Malformed' && frame.topic !== undefined)?.text

/** The first frame that is not part of the protocol. */
const unknownFrame = (events: readonly PeerEvent[]): string | undefined => {
  for (const event of events) {
    if (event._tag === 'Binary') return quoted('a binary frame')
    if (event._tag !== 'Text') continue
    if (event.frame._tag === 'Malformed' && event.frame.topic === undefined) return quoted(event.text)
  }
  return undefined
}

/** The first price update of another topic. */
const foreignPrice = (events: readonly PeerEvent[], topic: Topic): string | undefined =>
  messagesOf(events).find(({ frame }) => frame._tag === 'PriceUpdate' && !isSame(frame.topic, topic))?.text

const messagesOf = (events: readonly PeerEvent[]): readonly TextMessage[] =>
  events.flatMap((event) => (event._tag === 'Text' ? [event] : []))
