import { oneLine } from '../../../src/base/errors/text.js'
import type { Topic } from '../../../src/base/domain/topic.js'

/** The rules of docs/reference/protocol.md that a client can check, in the order in which they are checked. */
export const rules = {
  'socket-opens': 'The service accepts a WebSocket.',
  'subscribe-confirmed': 'A subscribe is answered by a confirmation that lists the topic.',
  'price-sent': 'A subscribed topic gets price updates.',
  'age-first': 'A gateway sends the current price to a new subscriber with its age; a service sends no age.',
  'age-live': 'A gateway passes a live price on without an age.',
  'subscribe-repeated': 'A subscribe for a confirmed topic is confirmed again.',
  'malformed-answered':
    'A frame that is not JSON is answered by an error text, and the connection stays open.',
  'topic-rejected': 'A subscribe for a malformed topic is answered by an error text.',
  'token-rejected': 'A subscribe for a token that is not supported is answered by an error text.',
  'ping-answered': 'A ping is answered by a pong with its payload.',
  'unsubscribe-ends': 'After an unsubscribe, the topic gets no price updates.',
  'price-form': 'A price update has a topic and a finite number above 0.',
  'frame-form': 'Each frame is text: an error text, a confirmation or a price update.',
  'subscribed-only': 'Price updates come for subscribed topics only.',
  'http-price': 'GET /price/{topic} returns 200 and a decimal number above 0, without an exponent.',
  'http-token-rejected':
    'GET /price/{topic} returns 500 and the error text for a token that is not supported.',
  'http-topic-rejected': 'GET /price/{topic} returns 500 and the error text for a malformed topic.',
  'gateway-health': 'GET /health of a gateway returns 200 or 503, and JSON with its status.',
  'gateway-history': 'GET /history of a gateway returns its topics as JSON, or 404 without a history.',
  'gateway-too-long': 'A gateway closes a connection with 1009 after a message of more than 16 KiB.',
  'gateway-topic-limit':
    'A topic beyond the limit of a connection to a gateway is answered by an error text.',
  'gateway-down': 'A gateway whose service is down refuses a WebSocket with 503.',
} as const satisfies Readonly<Record<string, string>>

export type RuleId = keyof typeof rules

export const ruleIds = Object.keys(rules) as readonly RuleId[]

/** `passed`, `not tested`, or why the server breaks the rule. */
export type Verdict = string

/** A rule without a verdict was not tested. */
export type Verdicts = Partial<Readonly<Record<RuleId, Verdict>>>

export const passed: Verdict = 'passed'

export const notTested: Verdict = 'not tested'

/** Broken, if there is a reason. */
export const brokenIf = (why: string | undefined): Verdict => why ?? passed

/** The server to check. */
export interface ConformanceTarget {
  readonly http: string
  readonly webSocket: string
  /** A topic that the server supports. */
  readonly topic: Topic
  /** The limit of each wait, in ms. */
  readonly limit: number
  /** The number of topics that a gateway allows per connection. */
  readonly topicLimit: number
}

/** A frame, or the text of a response, in a verdict. */
export const quoted = (text: string): string => `got ${oneLine(text)}`

/** An address that no token has. */
export const unknownAddress = '0x00000000000000000000000000000000000fabed'
