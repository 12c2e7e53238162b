import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeClientMessage } from '../../codec/client-message.js'
import { canonicalAddress } from '../../domain/address.js'
import { addressOf, type Topic } from '../../domain/topic.js'
import type { Demand } from '../demand/demand.js'
import { requestedTopic } from '../demand/requested-topic.js'
import type { Session } from './session.js'
import type { TextFrame } from './text-frame.js'

export interface ClientMessagesContext {
  readonly demand: Demand<TextFrame>
  /** Name of the service: prefix of topics. */
  readonly service: string
  readonly maxTopicsPerConnection: number
}

/** Handles a text message of a consumer. Every message is answered. */
export const handleMessage = (context: ClientMessagesContext, session: Session, text: string): void => {
  const decoded = decodeClientMessage(text)
  if (isLeft(decoded)) return session.sendText(`Invalid request: ${decoded.left.message}`)
  const { method, topic } = decoded.right
  const parsed = requestedTopic(topic, context.service)
  if (isLeft(parsed)) return session.sendText(parsed.left)
  if (method === 'subscribe') subscribe(context, session, parsed.right)
  else unsubscribe(context, session, parsed.right)
}

const subscribe = (
  { demand, maxTopicsPerConnection }: ClientMessagesContext,
  session: Session,
  topic: Topic,
): void => {
  const base = canonicalAddress(addressOf(topic))
  const known = session.feeds.get(base)
  if (known !== undefined) return known.answer(session)
  if (session.feeds.size >= maxTopicsPerConnection) {
    return session.sendText(
      `Invalid request: ${topic} is one topic more than the ${maxTopicsPerConnection} of a connection`,
    )
  }
  const feed = demand.feedOf(topic)
  session.addFeed(base, feed)
  feed.start()
}

const unsubscribe = ({ demand }: ClientMessagesContext, session: Session, topic: Topic): void => {
  const base = canonicalAddress(addressOf(topic))
  const feed = session.removeFeed(base)
  if (feed !== undefined) {
    feed.remove(session)
    demand.releaseUnwanted(feed)
  }
  session.confirmRest()
}
