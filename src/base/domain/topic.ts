/** A token's contract address: `0x` and one or more hex digits. Case is not significant. */
export type Address = `0x${string}`

const pattern = /^0x[0-9a-fA-F]+$/

/**
 * True for `0x` and one or more hex digits, and false for any other value. Makes a `string` an argument of `depth$`.
 *
 * @example
 * ['0x82aF', '82aF'].filter(isAddress) // [ '0x82aF' ]
 */
export const isAddress = (text: unknown): text is Address => typeof text === 'string' && pattern.test(text)

/** The form in which addresses are compared. */
export const canonicalAddress = (address: Address): Address => address.toLowerCase() as Address

/** A price topic: service name, hyphen, token address, as in `svc-0x82af…` (section 2.2 of the service's documentation). */
export type Topic = `${string}-0x${string}`

/** The default of the `service` option: the prefix of topics, and part of the names of signed headers. */
export const defaultService = 'svc'

/** True for exactly a topic of this service, without a quote address. */
export const isTopicOf = (text: unknown, service: string): text is Topic =>
  typeof text === 'string' && text.startsWith(`${service}-`) && isAddress(text.slice(service.length + 1))

const hyphen = 0x2d

/** Sticky: a confirmation lists thousands of topics, and `test` allocates nothing. */
const basePattern = /0x[0-9a-fA-F]+(?=-|$)/y

/**
 * The canonical base address of a topic in a frame from the service, which may lower-case the topic and append a quote
 * address. `undefined` for a topic of another service.
 */
export const baseAddressOf = (topic: string, service: string): Address | undefined => {
  if (!topic.startsWith(service) || topic.charCodeAt(service.length) !== hyphen) return undefined
  const start = service.length + 1
  basePattern.lastIndex = start
  if (!basePattern.test(topic)) return undefined
  return canonicalAddress(topic.slice(start, basePattern.lastIndex) as Address)
}

export const serviceOf = (topic: Topic): string => topic.slice(0, topic.lastIndexOf('-'))

/** The token's address in a caller's topic of any service. */
export const addressOf = (topic: Topic): Address => afterService(topic) as Address

/**
 * True for a topic of the service `svc`, and false for any other value. Makes a `string` an argument of `price$`. For a
 * topic of another service, use `parseTopic`.
 *
 * @example
 * ['svc-0x82aF', '0x82aF'].filter(isTopic) // [ 'svc-0x82aF' ]
 */
export const isTopic = (text: unknown): text is Topic => isTopicOf(text, defaultService)

export const isTopicOfAnyService = (text: unknown): text is Topic =>
  typeof text === 'string' && isAddress(afterService(text)) && text.includes('-', 1)

const afterService = (topic: string): string => topic.slice(topic.lastIndexOf('-') + 1)
