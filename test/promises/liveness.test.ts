import { isRight } from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.js'
import { block } from '../support/event-loop.js'
import { startServiceThread } from '../support/network/service-thread.js'
import { closing, ethTopic, record } from '../support/simulator.js'
import { frame, opcode } from '../transport/ws/support/frames.js'
import { clientAt, playService, politely, type Line } from '../support/network/scripted-service.js'
import { disconnects } from './support/prices.js'

// Any frame keeps a connection open. A connection without frames is replaced.

const every = (ms: number, act: () => void): void => {
  const timer = setInterval(act, ms)
  onTestFinished(() => clearInterval(timer))
}

const space = Buffer.from(' ')

/** Half of a text frame: its header announces more bytes than follow. */
const halfFrame = Buffer.from([0x81, 100, ...Buffer.from('{"topic":')])

describe('a service that never answers a ping', () => {
  // Long enough for a loaded machine.
  const timeouts = { pingInterval: 150, pongTimeout: 150 }

  it.each<[string, (line: Line) => void]>([
    ['prices', (line) => line.price(ethTopic, 1)],
    ['unsolicited pongs', (line) => line.pong()],
    ['pings', (line) => line.ping()],
    ['confirmations', (line) => line.confirm(ethTopic)],
    ['error texts', (line) => line.say('Error: not now')],
    ['binary frames', (line) => line.say(Buffer.of(1, 2, 3))],
    ['invalid prices', (line) => line.price(ethTopic, -1)],
    ['prices of topics without a subscriber', (line) => line.price('svc-0xdead', 1)],
  ])('keeps its connection as long as it sends %s', async (_what, say) => {
    const service = await playService({
      pongs: false,
      subscribed: (line, topic) => {
        politely(line, topic)
        every(10, () => say(line))
      },
    })
    const eth = record(clientAt(service.url, timeouts).price$(ethTopic))
    await eventually(() => expect(service.lines[0]?.pings()).toBeGreaterThan(3))
    expect(disconnects(eth)).toEqual([])
    expect(service.dials.length).toBe(1)
    expect(service.lines[0]?.isOpen()).toBe(true)
  })

  it.each<[string, (line: Line) => void]>([
    ['pongs between them', (line) => line.pong()],
    [
      'nothing else',
      ({ wire }) => wire.write(frame({ opcode: opcode.continuation, payload: space, isFinal: false })),
    ],
  ])('keeps its connection while it sends the fragments of a message and %s', async (_what, say) => {
    const service = await playService({
      pongs: false,
      subscribed: (line, topic) => {
        politely(line, topic)
        line.wire.write(Buffer.from([0x01, 1, ...Buffer.from('{')]))
        every(10, () => say(line))
      },
    })
    const eth = record(clientAt(service.url, timeouts).price$(ethTopic))
    await eventually(() => expect(service.lines[0]?.pings()).toBeGreaterThan(3))
    expect(eth.tags()).toEqual(['Right'])
    expect(service.dials.length).toBe(1)
  })
})

describe('the client', () => {
  const timeouts = { pingInterval: 60, pongTimeout: 50 }

  it.each<[string, boolean, (line: Line) => void]>([
    ['sends nothing and reads nothing', true, ({ wire }) => wire.pause()],
    ['sends nothing and reads everything', false, () => undefined],
    ['stops within a frame', false, ({ wire }) => wire.write(halfFrame)],
    ['stops within a frame header', false, ({ wire }) => wire.write(Buffer.of(0x81))],
    ['stops within a fragmented message', false, ({ wire }) => wire.write(Buffer.of(0x01, 1, 0x7b))],
    [
      'sends an endless frame byte by byte',
      false,
      ({ wire }) => {
        wire.write(Buffer.of(0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0))
        every(5, () => {
          if (wire.writable) wire.write(' ')
        })
      },
    ],
  ])('replaces the socket when the service %s', async (_how, pongs, fall) => {
    const service = await playService({
      pongs,
      subscribed: (line, topic) => {
        politely(line, topic)
        if (line.id > 1) return every(10, () => line.price(topic, line.id))
        fall(line)
      },
    })
    const eth = record(clientAt(service.url, timeouts).price$(ethTopic))
    await eventually(() => expect(eth.rights().at(-1)?.epoch).toBeGreaterThanOrEqual(2))
    expect(eth.tags().slice(0, 3)).toEqual(['Right', 'Disconnected', 'Right'])
    expect(disconnects(eth)[0]).toMatchObject({
      code: 1006,
      attempt: 1,
      reason: 'no frame within 50 ms of a ping',
    })
    service.lines[0]!.wire.resume()
    // The client terminates the socket: a close handshake would need the service.
    await eventually(() => expect(service.lines[0]!.endedWith()).toBe(1006))
  })
})

describe('a blocked event loop', () => {
  it('causes no Stale, no SubscriptionTimeout and no reconnect, in any phase of the loop', async () => {
    const { priceWsUrl } = closing(await startServiceThread({ tick: 20 })).addresses
    const client = clientAt(priceWsUrl, {
      pingInterval: 50,
      pongTimeout: 50,
      staleAfter: 100,
      confirmTimeout: 100,
    })
    const eth = record(client.price$(ethTopic))
    await eventually(() => expect(eth.rights().length).toBeGreaterThan(0))
    const moments: ((act: () => void) => unknown)[] = [setImmediate, setTimeout, queueMicrotask]
    for (const later of [...moments, ...moments]) {
      const before = eth.rights().length
      await new Promise<void>((resolve) =>
        later(() => {
          block(250)
          resolve()
        }),
      )
      block(150)
      await eventually(() => expect(eth.rights().length).toBeGreaterThan(before + 1))
    }
    expect(eth.events.every(isRight)).toBe(true)
    expect(eth.rights().at(-1)?.epoch).toBe(1)
  })
})
