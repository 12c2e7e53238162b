import { isLeft } from 'fp-ts/lib/Either.js'
import { parseTopic } from '../../codec/arguments/topic.js'
import { decodeClientMessage } from '../../codec/client-message.js'
import { canonicalAddress } from '../../domain/address.js'
import { addressOf, type Topic } from '../../domain/topic.js'
import { oneLine } from '../../errors/text.js'
import type { Demand } from './demand.js'
import type { Session } from './session.js'

export interface ClientMessagesContext {
  readonly demand: Demand
  /** Name of the service: prefix of topics. */
  readonly service: string
  readonly maxTopicsPerConnection: number
}

/** The maximum length of a topic. An address has 42 characters. */
const maxTopicLength = 256

/** Handles a text message of a consumer. Every message is answered. */
export const handleMessage = (context: ClientMessagesContext, session: Session, text: string): void => {
  const decoded = decodeClientMessage(text)
  if (isLeft(decoded)) return session.sendText(`Invalid request: ${decoded.left.message}`)
  const { method, topic } = decoded.right
  const parsed = topic.length > maxTopicLength ? undefined : parseTopic(topic, context.service)
  if (parsed === undefined || isLeft(parsed)) {
    return session.sendText(
      `Invalid request: ${oneLine(topic)} is no topic: expected ${context.service}-0x<hex digits>`,
    )
  }
  if (method === 'subscribe') subscribe(context, session, parsed.right)
  else unsubscribe(context, session, parsed.right)
}

const subscribe = (
  { demand, service, maxTopicsPerConnection }: ClientMessagesContext,
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
  const existing = demand.get(base)
  const feed = existing ?? demand.create(base, `${service}-${base}`)
  session.feeds.set(base, feed)
  feed.add(session)
  if (existing === undefined) feed.start()
}

const unsubscribe = ({ demand }: ClientMessagesContext, session: Session, topic: Topic): void => {
  const base = canonicalAddress(addressOf(topic))
  const feed = session.feeds.get(base)
  if (feed !== undefined) {
    session.feeds.delete(base)
    feed.remove(session)
    demand.releaseUnwanted(feed)
  }
  session.confirmRest()
}
