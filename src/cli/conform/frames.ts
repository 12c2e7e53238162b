import { readFrame } from '../../codec/price-frame.js'
import { baseAddressOf, serviceOf, type Topic } from '../../domain/topic.js'
import { oneLine } from '../../errors/text.js'
import type { PeerEvent } from './peer.js'

// Questions about the frames of a server.

/** An address that no token has. */
export const unknownAddress = '0x00000000000000000000000000000000000fabed'

/** True if a topic in a frame is the topic, in any spelling that the protocol allows. */
export const isSame = (received: string, topic: Topic): boolean => {
  const service = serviceOf(topic)
  const base = baseAddressOf(topic, service)
  return base !== undefined && baseAddressOf(received, service) === base
}

export const confirms =
  (topic: Topic) =>
  (text: string): boolean => {
    const frame = readFrame(text)
    return frame._tag === 'Confirmation' && frame.subscriptions.some((listed) => isSame(listed, topic))
  }

export const isErrorText = (text: string): boolean => readFrame(text)._tag === 'ErrorText'

/** A price update of the topic, valid or not. */
export const isPriceOf =
  (topic: Topic) =>
  (text: string): boolean => {
    const frame = readFrame(text)
    const named = frame._tag === 'PriceUpdate' || frame._tag === 'Malformed' ? frame.topic : undefined
    return named !== undefined && isSame(named, topic)
  }

/** A price update of the topic with a valid price. */
export const isValidPriceOf =
  (topic: Topic) =>
  (text: string): boolean =>
    readFrame(text)._tag === 'PriceUpdate' && isPriceOf(topic)(text)

export const ageOf = (text: string): number | undefined => {
  const frame = readFrame(text)
  return frame._tag === 'PriceUpdate' ? frame.age : undefined
}

/** The first price update without a valid price. */
export const malformedPrice = (events: readonly PeerEvent[]): string | undefined =>
  textsOf(events).find((text) => {
    const frame = readFrame(text)
    return frame._tag === 'Malformed' && frame.topic !== undefined
  })

/** The first frame that is none of the protocol. */
export const unknownFrame = (events: readonly PeerEvent[]): string | undefined => {
  for (const event of events) {
    if (event._tag === 'Binary') return 'a binary frame'
    const frame = event._tag === 'Text' ? readFrame(event.text) : undefined
    if (frame?._tag === 'Malformed' && frame.topic === undefined) return textOf(event)
  }
  return undefined
}

/** The first price update of another topic. */
export const foreignPrice = (events: readonly PeerEvent[], topic: Topic): string | undefined =>
  textsOf(events).find((text) => {
    const frame = readFrame(text)
    return frame._tag === 'PriceUpdate' && !isSame(frame.topic, topic)
  })

export const textsOf = (events: readonly PeerEvent[]): readonly string[] =>
  events.flatMap((event) => (event._tag === 'Text' ? [event.text] : []))

const textOf = (event: PeerEvent): string => (event._tag === 'Text' ? event.text : event._tag)

/** A frame in a message. */
export const quoted = (text: string): string => `got ${oneLine(text)}`
