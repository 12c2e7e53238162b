import { isRight } from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.js'
import { block, startForeignService } from '../support/foreign-service.js'
import { closing, ethTopic, record } from '../support/service.js'
import { frame, opcode } from '../transport/ws/support/frames.js'
import { clientAt, playService, politely, type Line } from './support/played-service.js'
import { disconnects } from './support/told.js'

// A connection that lives is left alone, whatever it is that it still says; one that is dead is replaced.

const every = (ms: number, act: () => void): void => {
  const timer = setInterval(act, ms)
  onTestFinished(() => clearInterval(timer))
}

const space = Buffer.from(' ')

/** Half of a text frame: what it says of its length is not what follows. */
const halfFrame = Buffer.from([0x81, 100, ...Buffer.from('{"topic":')])

describe('a service that never answers a ping', () => {
  // Long enough for a machine that is busy with something else.
  const patience = { pingInterval: 150, pongTimeout: 150 }

  it.each<[string, (line: Line) => void]>([
    ['prices', (line) => line.price(ethTopic, 1)],
    ['pongs that come when they like', (line) => line.pong()],
    ['pings of its own', (line) => line.ping()],
    ['confirmations', (line) => line.confirm(ethTopic)],
    ['texts that are no message', (line) => line.say('Error: not now')],
    ['bytes', (line) => line.say(Buffer.of(1, 2, 3))],
    ['bad prices', (line) => line.price(ethTopic, -1)],
    ['prices of topics that nobody wants', (line) => line.price('svc-0xdead', 1)],
  ])('is left alone as long as it says %s', async (_what, say) => {
    const service = await playService({
      pongs: false,
      subscribed: (line, topic) => {
        politely(line, topic)
        every(10, () => say(line))
      },
    })
    const eth = record(clientAt(service.url, patience).price$(ethTopic))
    await eventually(() => expect(service.lines[0]?.pings()).toBeGreaterThan(3))
    expect(disconnects(eth)).toEqual([])
    expect(service.dials.length).toBe(1)
    expect(service.lines[0]?.isOpen()).toBe(true)
  })

  it.each<[string, (line: Line) => void]>([
    ['it shows in between that it lives', (line) => line.pong()],
    [
      'nothing else comes',
      ({ wire }) => wire.write(frame({ opcode: opcode.continuation, payload: space, isFinal: false })),
    ],
  ])('is left alone while a message comes in pieces, and %s', async (_what, say) => {
    const service = await playService({
      pongs: false,
      subscribed: (line, topic) => {
        politely(line, topic)
        line.wire.write(Buffer.from([0x01, 1, ...Buffer.from('{')]))
        every(10, () => say(line))
      },
    })
    const eth = record(clientAt(service.url, patience).price$(ethTopic))
    await eventually(() => expect(service.lines[0]?.pings()).toBeGreaterThan(3))
    expect(eth.tags()).toEqual(['Right'])
    expect(service.dials.length).toBe(1)
  })
})

describe('a service that falls silent', () => {
  const patience = { pingInterval: 60, pongTimeout: 50 }

  it.each<[string, boolean, (line: Line) => void]>([
    ['altogether, and reads nothing', true, ({ wire }) => wire.pause()],
    ['altogether, and reads all', false, () => undefined],
    ['in the middle of a frame', false, ({ wire }) => wire.write(halfFrame)],
    ["in the middle of a frame's head", false, ({ wire }) => wire.write(Buffer.of(0x81))],
    ['in the middle of a message in pieces', false, ({ wire }) => wire.write(Buffer.of(0x01, 1, 0x7b))],
    [
      'but for a frame that goes on for ever, byte by byte',
      false,
      ({ wire }) => {
        wire.write(Buffer.of(0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0))
        every(5, () => {
          if (wire.writable) wire.write(' ')
        })
      },
    ],
  ])('%s, is cut, and replaced', async (_how, pongs, fall) => {
    const service = await playService({
      pongs,
      subscribed: (line, topic) => {
        politely(line, topic)
        if (line.id > 1) return every(10, () => line.price(topic, line.id))
        fall(line)
      },
    })
    const eth = record(clientAt(service.url, patience).price$(ethTopic))
    await eventually(() => expect(eth.rights().at(-1)?.epoch).toBeGreaterThanOrEqual(2))
    expect(eth.tags().slice(0, 3)).toEqual(['Right', 'Disconnected', 'Right'])
    expect(disconnects(eth)[0]).toMatchObject({
      code: 1006,
      attempt: 1,
      reason: 'no sign of life within 50 ms of a ping',
    })
    service.lines[0]!.wire.resume()
    // It is cut: a goodbye would have to be waited for.
    await eventually(() => expect(service.lines[0]!.endedWith()).toBe(1006))
  })
})

describe('a blocked event loop', () => {
  it('raises no alarm of any kind, whenever it comes and however often', async () => {
    const { priceWsUrl } = closing(await startForeignService())
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
