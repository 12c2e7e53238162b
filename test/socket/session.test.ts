import type { Subscription } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { session$, type SessionConfig } from '../../src/socket/session.js'
import type { WebSocketTransport } from '../../src/transport/ports.js'
import { ManualTransport, type ManualOptions, type ManualSocket } from '../support/manual-transport.js'
import { journalOf, virtually, type Journal, type Virtual } from '../support/virtual.js'

const limits = {
  url: 'ws://localhost',
  connectTimeout: 100,
  pingInterval: 50,
  pongTimeout: 20,
  maxFrameBytes: 99,
}

interface Session extends Virtual, Journal {
  readonly socket: ManualSocket
  readonly subscription: Subscription
}

/** A session, subscribed to at 0, with all that it tells and all that its socket is told in one journal. */
const session = (
  scenario: (session: Session) => void,
  config: Partial<SessionConfig> = {},
  options: ManualOptions = {},
): { readonly lines: readonly string[]; readonly timersLeft: number } => {
  let lines: string[] = []
  const timersLeft = virtually(
    (virtual) => {
      const journal = journalOf(virtual)
      lines = journal.lines
      const transport = new ManualTransport({
        ended: (_socket, how) => journal.note(how),
        ...options,
      })
      const sink = {
        onBytes: () => false,
        onText: (frame: string) => journal.note(`text ${frame}`),
        onBinary: (frame: Uint8Array) => journal.note(`binary ${frame.length}`),
      }
      const subscription = session$({ transport, ...limits, ...config }, sink).subscribe({
        next: (event) =>
          journal.note(event._tag === 'Lost' ? `Lost ${event.code} ${event.reason}` : event._tag),
        complete: () => journal.note('complete'),
      })
      scenario({ ...virtual, ...journal, socket: transport.last, subscription })
    },
    { until: 10_000 },
  )
  return { lines, timersLeft }
}

describe('a session', () => {
  it('that the transport cannot even begin is lost, and says why', () => {
    const transport: WebSocketTransport = {
      dial: () => {
        throw new Error('no\nproxy')
      },
      close: () => Promise.resolve(),
    }
    const told: unknown[] = []
    const sink = { onBytes: () => false, onText: () => undefined, onBinary: () => undefined }
    const timersLeft = virtually(() => {
      session$({ transport, ...limits }, sink).subscribe({
        next: (event) => told.push(event),
        complete: () => told.push('complete'),
      })
    })
    expect(told).toEqual([{ _tag: 'Lost', code: 1006, reason: 'no proxy' }, 'complete'])
    expect(timersLeft).toBe(0)
  })

  it('is opened, then lost, then complete', () => {
    const { lines, timersLeft } = session(({ at, socket }) => {
      at(10, () => socket.opens())
      at(11, () => socket.says('hello'))
      at(12, () => socket.listener.binary(new Uint8Array(3)))
      at(20, () => socket.drops(1001, 'going away'))
    })
    expect(lines).toEqual([
      '10 Opened',
      '11 text hello',
      '12 binary 3',
      '20 Lost 1001 going away',
      '20 complete',
    ])
    expect(timersLeft).toBe(0)
  })

  it('may be lost without ever being opened', () => {
    const { lines, timersLeft } = session(({ at, socket }) => at(10, () => socket.drops(1006, 'refused')))
    expect(lines).toEqual(['10 Lost 1006 refused', '10 complete'])
    expect(timersLeft).toBe(0)
  })

  it('says goodbye when nobody listens any more, and hears nothing after', () => {
    const { lines, timersLeft } = session(({ at, socket, subscription }) => {
      at(10, () => socket.opens())
      at(20, () => subscription.unsubscribe())
      at(21, () => socket.says('late'))
      at(22, () => socket.listener.binary(new Uint8Array(1)))
      at(23, () => socket.listener.opened())
      at(24, () => socket.listener.closed(1000, ''))
    })
    expect(lines).toEqual(['10 Opened', '20 close'])
    expect(timersLeft).toBe(0)
  })

  it('says goodbye to a dial that nobody waits for', () => {
    const { lines, timersLeft } = session(({ at, subscription }) => at(10, () => subscription.unsubscribe()))
    expect(lines).toEqual(['10 close'])
    expect(timersLeft).toBe(0)
  })

  it('ends once, however often its socket says so', () => {
    const { lines } = session(({ at, socket }) => {
      at(10, () => socket.opens())
      at(20, () => socket.drops(1001, 'first'))
      at(20, () => socket.listener.closed(1002, 'second'))
      at(30, () => socket.listener.opened())
    })
    expect(lines).toEqual(['10 Opened', '20 Lost 1001 first', '20 complete'])
  })

  it('is a dial of its own for each who subscribes', () => {
    const transport = new ManualTransport()
    const sink = { onBytes: () => false, onText: () => undefined, onBinary: () => undefined }
    const source$ = session$({ transport, ...limits }, sink)
    expect(transport.sockets).toHaveLength(0)
    virtually(() => {
      const both = [source$.subscribe(), source$.subscribe()]
      expect(transport.sockets).toHaveLength(2)
      for (const one of both) one.unsubscribe()
    })
    expect(transport.alive).toEqual([])
  })
})

describe('a socket that does not open', () => {
  it.each([true, false])(
    'is cut when its time is over, and the reason is that (says goodbye: %s)',
    (saysGoodbye) => {
      const { lines, timersLeft } = session(() => undefined, {}, { saysGoodbye })
      expect(lines.slice(1)).toEqual(['100 Lost 1006 not open within 100 ms', '100 complete'])
      expect(timersLeft).toBe(0)
    },
  )

  it('is terminated, for nobody may wait for its goodbye', () => {
    expect(session(() => undefined).lines[0]).toBe('100 terminate')
  })

  it('may open at the last moment, and not after', () => {
    const late = session(({ at, socket }) => at(101, () => socket.listener.opened()))
    expect(late.lines).not.toContain('101 Opened')
    const { lines } = session(({ at, socket, subscription }) => {
      at(99, () => socket.opens())
      at(140, () => subscription.unsubscribe())
    })
    expect(lines).toEqual(['99 Opened', '140 close'])
  })
})

describe('pings', () => {
  it('go out every `pingInterval` from the opening on', () => {
    const pings: number[] = []
    session(({ at, socket, subscription }) => {
      at(7, () => socket.opens())
      at(200, () => subscription.unsubscribe())
      for (let time = 0; time < 200; time++)
        at(time + 0.5, () => socket.pings > pings.length && pings.push(time))
    }, {})
    expect(pings).toEqual([57, 107, 157])
  })

  it.each([true, false])('unanswered end it, and the reason is that (says goodbye: %s)', (saysGoodbye) => {
    const silent = { answers: () => false, saysGoodbye }
    const { lines, timersLeft } = session(({ at, socket }) => at(7, () => socket.opens()), {}, silent)
    expect(lines).toEqual([
      '7 Opened',
      '77 terminate',
      '77 Lost 1006 no sign of life within 20 ms of a ping',
      '77 complete',
    ])
    expect(timersLeft).toBe(0)
  })

  it('are answered by anything that comes within `pongTimeout`', () => {
    const { lines } = session(
      ({ at, socket, subscription }) => {
        at(0, () => socket.opens())
        at(69, () => socket.listener.binary(new Uint8Array(1)))
        at(101, () => socket.listener.alive())
        at(169, () => socket.says(''))
        at(171, () => subscription.unsubscribe())
      },
      {},
      { answers: () => false },
    )
    expect(lines).toEqual(['0 Opened', '69 binary 1', '169 text ', '171 close'])
  })

  describe('in real timers', () => {
    afterEach(() => void vi.useRealTimers())

    it('are as far apart as the option says, beyond what a timer of the platform can wait', () => {
      vi.useFakeTimers()
      const transport = new ManualTransport()
      const sink = { onBytes: () => false, onText: () => undefined, onBinary: () => undefined }
      const config = { transport, ...limits, pingInterval: 2 ** 31 + 1000, pongTimeout: 1000 }
      const subscription = session$(config, sink).subscribe()
      transport.last.opens()
      for (const ms of [5, 2 ** 31 - 5]) {
        vi.advanceTimersByTime(ms)
        expect(transport.last.pings).toBe(0)
      }
      vi.advanceTimersByTime(1000)
      expect(transport.last.pings).toBe(1)
      subscription.unsubscribe()
      expect(vi.getTimerCount()).toBe(0)
    })
  })
})
