import { isLeft } from 'fp-ts/lib/Either.js'
import { serviceOf } from '../../../src/base/domain/topic.js'
import { parseJson } from '../../../src/wire/codec/decode.js'
import { subscribeFrame } from '../../../src/wire/codec/price-frame.js'
import { get, responseText, type HttpResponse } from './http-rules.js'
import { Peer, type TextMessage } from './peer.js'
import { notTested, passed, type ConformanceTarget, type Verdict, type Verdicts } from './rules.js'
import { isErrorText } from './socket-rules.js'

/** The response of a gateway about its health; `undefined` for a service. */
export const readHealth = async (target: ConformanceTarget): Promise<HttpResponse | undefined> => {
  const response = await get(target, '/health')
  const json = parseJson(response.text)
  if (isLeft(json)) return undefined
  const { status, upstream } = Object(json.right) as Readonly<Record<string, unknown>>
  return (status === 'up' || status === 'down') && upstream !== undefined ? response : undefined
}

/** Checks the rules for gateways. */
export const checkGateway = async (target: ConformanceTarget, health: HttpResponse): Promise<Verdicts> => {
  const isUp = health.status !== 503
  return {
    'gateway-health': [200, 503].includes(health.status) ? passed : responseText(health),
    'gateway-history': historyVerdict(await get(target, '/history')),
    'gateway-too-long': isUp ? await checkTooLong(target) : notTested,
    'gateway-topic-limit': isUp ? await checkTopicLimit(target) : notTested,
    'gateway-down': isUp ? notTested : await checkDown(target),
  }
}

const historyVerdict = (response: HttpResponse): Verdict => {
  if (response.status === 404) return passed
  const json = parseJson(response.text)
  const isList = response.status === 200 && !isLeft(json) && Array.isArray(json.right)
  return isList ? passed : responseText(response)
}

const checkTooLong = async ({ webSocket, limit }: ConformanceTarget): Promise<Verdict> => {
  const peer = new Peer(webSocket, limit)
  if (!(await peer.opens())) return notTested
  peer.send(' '.repeat(16 * 1024 + 1))
  await peer.find(({ _tag }) => _tag === 'Closed', 0)
  const code = peer.closed?.code
  peer.close()
  return code === 1009 ? passed : `closed with ${code}`
}

/** Bursts of subscribes: a gateway that has rejected the first tokens of a burst already has places for its last ones. */
const maxBursts = 5

/**
 * Subscribes to one topic above the limit, all at once: the last message is answered before the tokens are looked up.
 */
const checkTopicLimit = async ({
  webSocket,
  limit,
  topic,
  topicLimit,
}: ConformanceTarget): Promise<Verdict> => {
  const addresses = Array.from(
    { length: topicLimit + 1 },
    (_, index) => `0xfabed${index.toString(16).padStart(35, '0')}` as const,
  )
  const number = new RegExp(`\\b${topicLimit}\\b`)
  const isRefusal = (message: TextMessage): boolean =>
    isErrorText(message) &&
    number.test(message.text) &&
    addresses.some((address) => message.text.includes(address))
  const isAnswer = (message: TextMessage): boolean =>
    isRefusal(message) || message.text.includes(addresses.at(-1) ?? '')
  const peer = new Peer(webSocket, limit)
  if (!(await peer.opens())) return notTested
  try {
    for (let burst = 0; burst < maxBursts; burst++) {
      const from = peer.events.length
      for (const address of addresses) peer.send(subscribeFrame(`${serviceOf(topic)}-${address}`))
      const answer = await peer.findText(isAnswer, from)
      if (answer !== undefined && isRefusal(answer)) return passed
    }
    return `no error text with ${topicLimit}`
  } finally {
    peer.close()
  }
}

const checkDown = async ({ webSocket, limit }: ConformanceTarget): Promise<Verdict> => {
  const peer = new Peer(webSocket, limit)
  const opens = await peer.opens()
  const status = peer.closed?.status
  peer.close()
  if (opens) return 'accepted'
  return status === 503 ? passed : `refused with ${status}`
}
