import { expect, onTestFinished, it, vi } from 'vitest'
import type { Address, Client } from 'svc-streams'
import { startNatsGateway } from 'svc-streams/nats'
import { createTestClient, depth } from 'svc-streams/testing'
import { right } from 'fp-ts/lib/Either.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { describeNats } from '../support/nats/describe-nats.js'
import { startNatsServer } from '../support/nats/nats-server.js'
import { connectRaw, requestRaw, subscribeRaw } from '../support/nats/raw-nats.js'
import { depthPath } from '../support/network/signed-request.js'
import { eventually } from '../support/time/eventually.js'
import { createNatsClient } from './support/start-in-process.js'

const mintOf = (number: number): Address => `0x${(0x1000 + number).toString(16)}`

/** A gateway whose depth requests wait until `answer` is called. It sends up to 256 at a time. */
const start = async () => {
  const requested: Address[] = []
  const pending: (() => void)[] = []
  const client: Client = {
    ...createTestClient(),
    depth: (mint) => () =>
      new Promise((resolve) => {
        requested.push(mint)
        pending.push(() => resolve(right(depth(mint))))
      }),
  }
  const server = await startNatsServer({ onFinished: onTestFinished })
  closeAfterTest(await startNatsGateway(client, { servers: server.url }))
  const raw = await connectRaw(onTestFinished, { servers: server.url })
  const { gateway } = (await requestRaw(raw, 'svc.gateways')).json<{ gateway: string }>()
  const send = (message: object, reply: string): void =>
    raw.publish(`svc.gateway.${gateway}`, JSON.stringify(message), { reply })
  const get = (number: number, fields: object = {}): void =>
    send(
      { type: 'get', path: depthPath(mintOf(number)), consumer: 'c', timeout: 5_000, ...fields },
      `_INBOX.raw.${number}`,
    )
  /** All running requests of the client are of other mints. */
  const fill = async (): Promise<void> => {
    for (let number = 0; number < 256; number++) get(number, { consumer: 'busy', timeout: 60_000 })
    await eventually(() => requested.length === 256)
  }
  const answer = (): void => pending.splice(0).forEach((each) => each())
  return { server, raw, send, get, fill, requested, answer }
}

describeNats('a depth request over NATS', () => {
  it('is not sent to the service if its consumer has cancelled it', async () => {
    const { get, send, fill, answer, requested, raw } = await start()
    await fill()
    get(1_000)
    get(1_001)
    send({ type: 'cancel' }, '_INBOX.raw.1000')
    await requestRaw(raw, 'svc.gateways')
    answer()
    await eventually(() => requested.includes(mintOf(1_001)))
    expect(requested).not.toContain(mintOf(1_000))
  })

  it('is not sent to the service once the timeout of its consumer has passed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'], shouldAdvanceTime: true })
    onTestFinished(() => void vi.useRealTimers())
    const { server, raw, get, fill, answer, requested } = await start()
    await fill()
    const sent = await subscribeRaw(raw, 'svc.gateway.*')
    const client = createNatsClient({ servers: server.url, requestTimeout: 5_000 })
    const result = client.depth(mintOf(1_002))()
    await eventually(() => expect(sent.messages.at(-1)?.text).toContain(mintOf(1_002)))
    get(1_000, { timeout: 5_000 })
    get(1_001, { timeout: 60_000 })
    // The gateway has received the messages before.
    await requestRaw(raw, 'svc.gateways')
    vi.advanceTimersByTime(5_000)
    expect(await result).toMatchObject({ left: { _tag: 'Timeout' } })
    answer()
    await eventually(() => requested.includes(mintOf(1_001)))
    expect(requested).toHaveLength(257)
  })

  it('waits for one request of each other consumer', async () => {
    const { raw, get, fill, answer, requested } = await start()
    await fill()
    for (let number = 1_000; number < 3_000; number++) get(number, { consumer: 'busy', timeout: 60_000 })
    get(5_000, { consumer: 'other', timeout: 60_000 })
    await requestRaw(raw, 'svc.gateways')
    answer()
    await eventually(() => requested.includes(mintOf(5_000)))
    expect(requested.indexOf(mintOf(5_000))).toBeLessThanOrEqual(256 + 1)
  })

  it('of a client is cancelled when its subscriber leaves', async () => {
    const { server, get, fill, answer, requested, raw } = await start()
    const sent = await subscribeRaw(raw, 'svc.gateway.*')
    await fill()
    const client = createNatsClient({ servers: server.url })
    const subscription = client.depth$(mintOf(1_000), 1_000).subscribe()
    const lastSent = () => sent.messages.at(-1)?.text
    await eventually(() => expect(lastSent()).toContain(mintOf(1_000)))
    subscription.unsubscribe()
    await eventually(() => expect(lastSent()).toBe('{"type":"cancel"}'))
    get(1_001)
    await requestRaw(raw, 'svc.gateways')
    answer()
    await eventually(() => requested.includes(mintOf(1_001)))
    expect(requested).not.toContain(mintOf(1_000))
  })
})
