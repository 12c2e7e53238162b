import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { session$ } from '../../../src/wire/socket/session.js'
import type { GuardedSocket } from '../../../src/wire/socket/guarded-socket.js'
import { ManualTransport, type ManualSocket } from '../../support/manual-transport.js'
import { caseCount } from '../../support/run/long.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'
import { ignoringSink, limits } from './support/session.js'

const noProber = { probe: () => false, isRecognisable: () => true, isConclusive: () => false }

const pongTimeout = 100

const config = { ...limits, pingInterval: 1_000_000, pongTimeout }

/** The size of each frame. From 32 768 bytes the buffer is full. */
const bytesPerFrame = 1000

interface Scenario extends VirtualTime {
  /** The transport's socket. The service does not read it. */
  readonly socket: ManualSocket
  readonly send: (count: number) => void
  readonly onAnswer: () => void
  readonly isFull: () => boolean
}

/** Runs a scenario on an open socket. Returns the time and the reason of its end. */
const endOf = (scenario: (scenario: Scenario) => void, endsAt = 5000): string => {
  let end = 'open'
  const pendingTimers = runInVirtualTime((virtual) => {
    const transport = new ManualTransport({ bytesPerFrame })
    let guarded: GuardedSocket | undefined
    const subscription = session$({ transport, ...config }, ignoringSink, noProber).subscribe((event) => {
      if (event._tag === 'Opened') guarded = event.session.socket
      else end = `${virtual.now()} ${event.reason}`
    })
    const socket = transport.lastSocket
    socket.isRead = false
    socket.open()
    const send = (count: number): void => {
      for (let sent = 0; sent < count; sent++) guarded?.send('frame')
    }
    scenario({
      ...virtual,
      socket,
      send,
      onAnswer: () => guarded?.onRead(),
      isFull: () => guarded?.isFull ?? false,
    })
    virtual.at(endsAt, () => subscription.unsubscribe())
  })
  expect(pendingTimers).toBe(0)
  return end
}

const stalled = `the socket did not drain within ${pongTimeout} ms`

describe('a socket with unsent bytes', () => {
  it('is replaced when no byte is written within pongTimeout', () => {
    expect(endOf(({ send }) => send(1))).toBe(`125 ${stalled}`)
  })

  it('is replaced when no byte is written, although the client goes on to send', () => {
    const end = endOf(({ at, send }) => {
      for (let time = 0; time < 2000; time += 7) at(time, () => send(1))
    })
    expect(end).toBe(`125 ${stalled}`)
  })

  it('is kept while bytes are written, although the client sends as many', () => {
    const end = endOf(({ at, socket, send }) => {
      send(10)
      for (let time = 0; time < 5000; time += 90) {
        at(time, () => socket.drain(bytesPerFrame))
        at(time + 45, () => send(1))
      }
    })
    expect(end).toBe('open')
  })

  it('is kept when it drains before pongTimeout ends', () => {
    const end = endOf(({ at, socket, send }) => {
      send(1)
      at(99, () => socket.drain())
    })
    expect(end).toBe('open')
  })

  it('is kept while the service answers, although no byte is written', () => {
    const end = endOf(({ at, send, onAnswer }) => {
      send(1)
      for (let time = 0; time < 5000; time += 90) at(time, onAnswer)
    })
    expect(end).toBe('open')
  })

  it('is kept when it is full most of the time and accepts frames in between', () => {
    const end = endOf(({ at, socket, send, isFull }) => {
      for (let time = 0; time < 5000; time += 10) {
        at(time, () => isFull() || send(100))
        at(time + 5, () => socket.drain(10 * bytesPerFrame))
      }
    })
    expect(end).toBe('open')
  })

  it.each([NaN, -1, undefined])('counts as empty if the transport reports %s', (bytes) => {
    const end = endOf(({ socket, send }) => {
      Object.defineProperty(socket, 'bufferedAmount', { value: bytes })
      send(5)
    })
    expect(end).toBe('open')
  })

  it('is replaced if the transport throws from bufferedAmount', () => {
    const end = endOf(({ at, socket, send }) => {
      Object.defineProperty(socket, 'bufferedAmount', {
        get: () => {
          throw new Error('no buffer')
        },
      })
      at(10, () => send(1))
    })
    expect(end).toBe('10 no buffer')
  })

  it('is replaced after the last write and within 1.25 times pongTimeout, for any writes and sends', () => {
    const step = fc.record({
      after: fc.integer({ min: 1, max: 60 }),
      act: fc.constantFrom('send' as const, 'write' as const),
    })
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
        /** When bytes were last written, or the first byte was sent after that. */
        let since: number | undefined
        let longest = 0
        const end = endOf(({ at, now, socket, send }) => {
          const measure = (): void => {
            longest = Math.max(longest, since === undefined ? 0 : now() - since)
          }
          let time = 0
          for (const { after, act } of steps) {
            time += after + 1 / 64
            at(time, () => {
              if (socket.state === 'closed') return
              measure()
              if (act === 'send') send(1)
              else socket.drain(bytesPerFrame / 2)
              const isFirst = act === 'send' && since === undefined
              if (act === 'write' || isFirst) since = socket.unsentBytes > 0 ? now() : undefined
            })
          }
          at(time + 20 * pongTimeout, () => socket.drain())
        }, 10_000)
        if (end === 'open') {
          expect(since).toBe(undefined)
          expect(longest).toBeLessThanOrEqual(1.25 * pongTimeout)
          return
        }
        const waited = Number(end.split(' ')[0]) - (since ?? Infinity)
        expect(waited).toBeGreaterThanOrEqual(pongTimeout - 1)
        expect(waited).toBeLessThanOrEqual(1.25 * pongTimeout + 1)
      }),
      { numRuns: caseCount(1000) },
    )
  })
})
