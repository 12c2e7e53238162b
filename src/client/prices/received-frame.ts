import type { Secrets } from '../../wire/auth/secrets.js'
import type { Frame, MalformedFrame } from '../../wire/codec/price-frame.js'
import { assertNever } from '../../base/domain/assert-never.js'
import { type Address, baseAddressOf, type Topic } from '../../base/domain/topic.js'
import { hexOf, latin1Bytes, latin1Of } from '../../base/domain/bytes.js'
import { uncorrelatedError } from '../../base/errors/constructors.js'
import type { UncorrelatedError } from '../../base/errors/model.js'
import { maxTextLength, truncate } from '../../base/errors/text.js'
import type { Clock } from '../../base/time/clock.js'
import type { EchoedTopic } from './sent-frames.js'
import { deliveryTo, staleEvent, type Effect } from './effects.js'
import type { ReceivedPrice } from './subscribers.js'
import type { Subscriptions } from './subscriptions.js'
import { countPrice, mayPrecedeRequest, phaseOf, setPosition } from './topics.js'

/** The connection that receives a frame. */
export interface Reception {
  readonly subscriptions: Subscriptions
  readonly clock: Clock
  readonly service: string
  /** Secrets to redact from errors, because a frame may repeat them. */
  readonly secrets: Secrets
}

/**
 * When a price arrived: `at` by the clock of the tick, monotonic, in ms. `behindMs`: the upper bound of its age if it may be older
 * than `maxLag`; `undefined` if it is current.
 */
export interface PriceArrival extends Pick<ReceivedPrice, 'epoch'> {
  readonly at: number
  readonly behindMs: number | undefined
}

type PriceUpdateFrame = Extract<Frame, { readonly _tag: 'PriceUpdate' }>

type ConfirmationFrame = Extract<Frame, { readonly _tag: 'Confirmation' }>

type OtherFrame = Exclude<Frame | MalformedFrame, PriceUpdateFrame>

/** The maximum number of bytes of a binary frame that an error contains, as two hexadecimal digits each. */
const maxShownBytes = maxTextLength / 2

/** Changes the subscriptions by a price. A price that matches no topic becomes an `UncorrelatedError`. */
export const onPriceUpdate = (
  reception: Reception,
  { topic, price, age: statedAge, position }: PriceUpdateFrame,
  text: string,
  { at, epoch, behindMs }: PriceArrival,
): readonly Effect[] => {
  const { subscriptions, clock, service } = reception
  const base = baseAddressOf(topic, service)
  if (base === undefined) return [uncorrelated(reception, 'unknown-topic', text)]
  const state = subscriptions.topics.requested(base)
  if (state === undefined) {
    if (subscriptions.sentFrames.mayBeLate(base, at)) return []
    subscriptions.sentFrames.onUnrequestedPrice(withoutQuote(topic, base, service), at)
    return [uncorrelated(reception, 'unknown-topic', text)]
  }
  countPrice(state, position)
  const isInTime = behindMs === undefined
  // A gateway may have dropped a newer price when the client left the topic: the answer to a probe would not prove this one.
  if (!isInTime && mayPrecedeRequest(state)) return []
  // The age of a held price counts from its sending: it may be as old as the newest answered probe.
  const age = isInTime ? statedAge : Math.max(statedAge ?? 0, behindMs)
  const receivedAt = age === undefined ? clock.wallClock() : Math.round(clock.wallClock() - age)
  const before = phaseOf(state)
  const received = { price, receivedAt, epoch }
  const effects = subscriptions.onPrice(state, received, at, age, !isInTime)
  // Later frames of the topic have neither, so their layout differs.
  if (statedAge === undefined && position === undefined)
    state.framePattern ??= subscriptions.pricePatterns?.learn(text, state) ?? 'not learnable'
  if (!isInTime) return effects
  if (state.live) return [...effects, { _tag: 'DeliverPrice', state }]
  // While the connection is behind, the subscribers know.
  if (before === 'stale' || before === 'unreadable' || subscriptions.isBehind) return effects
  // The age of the price is at least `staleAfter`: it is no value.
  return [...effects, deliveryTo(state, staleEvent(state, at))]
}

/** Changes the subscriptions by a frame that is not a price. A frame that matches no topic becomes an `UncorrelatedError`. */
export const onFrame = (reception: Reception, frame: OtherFrame, text: string): readonly Effect[] => {
  switch (frame._tag) {
    case 'Confirmation':
      return onConfirmation(reception, frame, text)
    case 'ErrorText':
      return onErrorText(reception, text)
    case 'Malformed':
      return onMalformed(reception, frame, text)
    default:
      return assertNever(frame)
  }
}

export const onBinary = (reception: Reception, frame: Uint8Array): readonly Effect[] => {
  // Redacted before the conversion, because the bytes may be the text of a secret.
  const shown = reception.secrets.redact(latin1Of(frame.subarray(0, maxShownBytes)))
  return [uncorrelated(reception, 'binary', hexOf(latin1Bytes(shown)))]
}

const onConfirmation = (
  reception: Reception,
  { subscriptions: topics, position }: ConfirmationFrame,
  text: string,
): readonly Effect[] => {
  const { clock, subscriptions, service } = reception
  const positioned = position && baseAddressOf(position.topic, service)
  const state = positioned && subscriptions.topics.requested(positioned)
  if (position !== undefined && state !== undefined) setPosition(state, position)
  const now = clock.elapsed()
  const bases = topics.map((topic) => baseAddressOf(topic, service))
  const ours = bases.filter((base) => base !== undefined)
  const hasForeignTopic = ours.length < topics.length
  // A list of foreign topics alone answers no frame.
  const effects = hasForeignTopic && ours.length === 0 ? [] : subscriptions.onConfirmation(ours, now)
  topics.forEach((topic, index) => {
    const base = bases[index]
    if (base !== undefined && subscriptions.topics.requested(base) === undefined)
      subscriptions.sentFrames.onListed(withoutQuote(topic, base, service), now)
  })
  if (hasForeignTopic) effects.push(uncorrelated(reception, 'unknown-topic', text))
  return effects
}

const onErrorText = (reception: Reception, text: string): readonly Effect[] => {
  const { clock, subscriptions, secrets } = reception
  const delivery = subscriptions.onErrorText(text, clock.elapsed(), secrets.redact(truncate(text)))
  return [
    delivery === undefined ? uncorrelated(reception, 'error-text', text) : { _tag: 'Deliver', ...delivery },
  ]
}

const onMalformed = (
  reception: Reception,
  { topic, error: unsafeError }: MalformedFrame,
  text: string,
): readonly Effect[] => {
  const { clock, subscriptions, service, secrets } = reception
  const error = secrets.redactError(unsafeError)
  const base = topic === undefined ? undefined : baseAddressOf(topic, service)
  const state = base === undefined ? undefined : subscriptions.topics.requested(base)
  const undecodable: Effect = { _tag: 'Undecodable', topic: state?.topic, error }
  if (state !== undefined) return [undecodable, subscriptions.onUnreadable(state, error)]
  const isLate = base !== undefined && subscriptions.sentFrames.mayBeLate(base, clock.elapsed())
  return isLate ? [undecodable] : [undecodable, uncorrelated(reception, 'malformed', text)]
}

const uncorrelated = ({ secrets }: Reception, kind: UncorrelatedError['kind'], text: string): Effect => ({
  _tag: 'Uncorrelated',
  error: secrets.redactError(uncorrelatedError(kind, text)),
})

/** The topic in the spelling of the service, without a quote address. */
const withoutQuote = (topic: string, base: Address, service: string): EchoedTopic => ({
  base,
  topic: topic.slice(0, service.length + 1 + base.length) as Topic,
})
