import { isLeft } from 'fp-ts/lib/Either.js'
import { firstValueFrom } from 'rxjs'
import { parseJson } from '../../wire/codec/json.js'
import { subscribeFrame } from '../../wire/codec/price-frame.js'
import type { Address } from '../../base/domain/address.js'
import { serviceOf } from '../../base/domain/topic.js'
import { isErrorText } from './socket-rules.js'
import { Peer, type TextMessage } from './peer.js'
import {
  failed,
  notTested,
  passed,
  replyText,
  type ConformTarget,
  type HttpReply,
  type Report,
  type Verdict,
} from './rules.js'

/** The response of a gateway about its health; `undefined` for a service. */
export const healthOf = async ({ get$ }: ConformTarget): Promise<HttpReply | undefined> => {
  const reply = await firstValueFrom(get$('/health'))
  const json = parseJson(reply.text)
  if (isLeft(json) || typeof json.right !== 'object' || json.right === null) return undefined
  const { status, upstream } = json.right as Readonly<Record<string, unknown>>
  return (status === 'up' || status === 'down') && upstream !== undefined ? reply : undefined
}

/** Checks the rules for gateways. */
export const checkGateway = async (
  target: ConformTarget,
  health: HttpReply,
  report: Report,
): Promise<void> => {
  const isUp = health.status !== 503
  report({ 'gateway-health': [200, 503].includes(health.status) ? passed : failed(replyText(health)) })
  report({ 'gateway-history': historyVerdict(await firstValueFrom(target.get$('/history'))) })
  report({ 'gateway-too-long': isUp ? await checkTooLong(target) : serviceDown })
  report({ 'gateway-topic-limit': isUp ? await checkTopicLimit(target) : serviceDown })
  report({
    'gateway-down': isUp ? notTested('the service of the gateway is up') : await checkDown(target),
  })
}

export const serviceDown = notTested('the service of the gateway is down')

const historyVerdict = (reply: HttpReply): Verdict => {
  if (reply.status === 404) return passed
  const json = parseJson(reply.text)
  return reply.status === 200 && !isLeft(json) && Array.isArray(json.right)
    ? passed
    : failed(replyText(reply))
}

/** Calls `use` once the WebSocket is open, or has not opened within the limit. */
const withPeer = async (
  target: ConformTarget,
  use: (peer: Peer, isOpen: boolean) => Verdict | Promise<Verdict>,
): Promise<Verdict> => {
  const peer = new Peer(target)
  try {
    const opened = await peer.find(({ _tag }) => _tag === 'Opened', 0)
    return await use(peer, opened !== undefined)
  } finally {
    await peer.close()
  }
}

const withOpenPeer = (target: ConformTarget, use: (peer: Peer) => Promise<Verdict>): Promise<Verdict> =>
  withPeer(target, (peer, isOpen) => (isOpen ? use(peer) : notTested('the WebSocket does not open')))

const checkTooLong = (target: ConformTarget): Promise<Verdict> =>
  withOpenPeer(target, async (peer) => {
    peer.send(' '.repeat(16 * 1024 + 1))
    await peer.find(({ _tag }) => _tag === 'Closed', 0)
    const { closed } = peer
    if (closed === undefined) return failed(`still open after ${target.limit} ms`)
    return closed.code === 1009 ? passed : failed(`closed with ${closed.code}`)
  })

/** Bursts of subscribes: a gateway that has rejected the first tokens of a burst already has places for its last ones. */
const maxBursts = 5

/**
 * Subscribes to one topic above the limit, all at once: the last message is answered before the tokens are looked up.
 */
const checkTopicLimit = (target: ConformTarget): Promise<Verdict> => {
  const { topic, topicLimit, limit } = target
  if (topicLimit === undefined) return Promise.resolve(notTested('give the limit by --topic-limit'))
  const addresses = Array.from(
    { length: topicLimit + 1 },
    (_, index): Address => `0xfabed${index.toString(16).padStart(35, '0')}`,
  )
  const lastAddress = addresses.at(-1) ?? ''
  const number = new RegExp(`\\b${topicLimit}\\b`)
  const isRefusal = (message: TextMessage): boolean =>
    isErrorText(message) &&
    number.test(message.text) &&
    addresses.some((address) => message.text.includes(address))
  return withOpenPeer(target, async (peer) => {
    for (let burst = 0; burst < maxBursts; burst++) {
      const from = peer.events.length
      for (const address of addresses) peer.send(subscribeFrame(`${serviceOf(topic)}-${address}`))
      const isAnswer = (message: TextMessage) => isRefusal(message) || message.text.includes(lastAddress)
      const answer = await peer.findText(isAnswer, from)
      if (answer === undefined) break
      if (isRefusal(answer)) return passed
    }
    return failed(`no error text with ${topicLimit} in ${limit} ms`)
  })
}

const checkDown = (target: ConformTarget): Promise<Verdict> =>
  withPeer(target, ({ closed }, isOpen) => {
    if (isOpen) return failed('accepted')
    return closed?.status === 503 ? passed : failed(closed?.reason ?? `no response in ${target.limit} ms`)
  })
