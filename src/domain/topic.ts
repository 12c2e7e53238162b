import { canonicalAddress, isAddress, type Address } from './address.js'

/**
 * A price topic: the service's name, a hyphen, the base token's address, as in `svc-0x82af…`
 * (section 2.2 of the service's documentation).
 */
export type Topic = `${string}-0x${string}`

/** The service's name where no option says otherwise: the prefix of topics and of signed headers. */
export const defaultService = 'svc'

/** Whether a caller's text is a topic of this service: nothing before, nothing after, no quote address. */
export const isTopic = (text: unknown, service: string): text is Topic =>
  typeof text === 'string' && text.startsWith(`${service}-`) && isAddress(text.slice(service.length + 1))

const base = /^0x[0-9a-fA-F]+(?=-|$)/

/**
 * The canonical base address in a topic as the service echoes it: possibly lower-cased, possibly with a quote
 * address behind it. `undefined` where the topic is not this service's.
 */
export const baseAddressOf = (topic: string, service: string): Address | undefined => {
  if (!topic.startsWith(`${service}-`)) return undefined
  const found = base.exec(topic.slice(service.length + 1))
  return found === null ? undefined : canonicalAddress(found[0] as Address)
}

/** The token's address in a topic as a caller writes it, whatever the service's name in front of it. */
export const addressOf = (topic: Topic): Address => afterName(topic) as Address

/** Whether a text is a topic of some service. */
export const isTopicOfAnyService = (text: unknown): text is Topic =>
  typeof text === 'string' && isAddress(afterName(text)) && text.includes('-', 1)

const afterName = (topic: string): string => topic.slice(topic.lastIndexOf('-') + 1)
