import type { Subscription } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { rxClock } from '../../../src/base/time/clock.js'
import type { Prober } from '../../../src/wire/socket/guarded-socket.js'
import { session$, type SessionConfig } from '../../../src/wire/socket/session.js'
import type { WebSocketTransport } from '../../../src/wire/transport/ports.js'
import {
  ManualTransport,
  type ManualTransportOptions,
  type ManualSocket,
} from '../../support/manual-transport.js'
import { createTimedLog, type TimedLog } from '../../support/time/timed-log.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'
import { ignoringSink, limits } from './support/session.js'

const noProber: Prober = { probe: () => false, isRecognisable: () => false, isConclusive: () => false }

interface Session extends VirtualTime, TimedLog {
  readonly socket: ManualSocket
  readonly subscription: Subscription
  /** `wake` of the open session. */
  readonly probe: () => void
}

/** Subscribes to a session at 0. Logs its events, its frames, and how it ends its socket. */
const runSession = (
  scenario: (session: Session) => void,
  config: Partial<SessionConfig> = {},
  options: ManualTransportOptions = {},
): { readonly lines: readonly string[]; readonly pendingTimers: number } => {
  let lines: string[] = []
  const pendingTimers = runInVirtualTime(
    (virtual) => {
      const eventLog = createTimedLog(virtual)
      lines = eventLog.lines
      const transport = new ManualTransport({
        onEnd: (_socket, how) => eventLog.add(how),
        ...options,
      })
      const sink = {
        onBytes: () => false,
        onText: (frame: string) => eventLog.add(`text ${frame}`),
        onBinary: (frame: Uint8Array) => eventLog.add(`binary ${frame.length}`),
        onBehind: () => undefined,
        onCaughtUp: () => undefined,
        detectSuspend: () => undefined,
      }
      let probe = (): void => undefined
      const subscription = session$({ transport, ...limits, ...config }, sink, noProber).subscribe({
        next: (event) => {
          if (event._tag === 'Opened') probe = () => event.session.wake()
          eventLog.add(event._tag === 'Lost' ? `Lost ${event.code} ${event.reason}` : event._tag)
        },
        complete: () => eventLog.add('complete'),
      })
      scenario({ ...virtual, ...eventLog, socket: transport.lastSocket, subscription, probe: () => probe() })
    },
    { endsAt: 10_000 },
  )
  return { lines, pendingTimers }
}

describe('session$', () => {
  it('emits `Lost` with the reason when the transport throws from `dial`', () => {
    const transport: WebSocketTransport = {
      dial: () => {
        throw new Error('no\nproxy')
      },
      close: () => Promise.resolve(),
    }
    const events: unknown[] = []
    const pendingTimers = runInVirtualTime(() => {
      session$({ transport, ...limits }, ignoringSink, noProber).subscribe({
        next: (event) => events.push(event),
        complete: () => events.push('complete'),
      })
    })
    expect(events).toEqual([{ _tag: 'Lost', code: 1006, reason: 'no proxy' }, 'complete'])
    expect(pendingTimers).toBe(0)
  })

  it('emits `Opened`, then `Lost`, then completes', () => {
    const { lines, pendingTimers } = runSession(({ at, socket }) => {
      at(10, () => socket.open())
      at(11, () => socket.deliver('hello'))
      at(12, () => socket.listener.binary(new Uint8Array(3)))
      at(20, () => socket.drop(1001, 'going away'))
    })
    expect(lines).toEqual([
      '10 Opened',
      '11 text hello',
      '12 binary 3',
      '20 Lost 1001 going away',
      '20 complete',
    ])
    expect(pendingTimers).toBe(0)
  })

  it('emits `Lost` without `Opened` when the dial fails', () => {
    const { lines, pendingTimers } = runSession(({ at, socket }) =>
      at(10, () => socket.drop(1006, 'refused')),
    )
    expect(lines).toEqual(['10 Lost 1006 refused', '10 complete'])
    expect(pendingTimers).toBe(0)
  })

  it('closes an open socket on unsubscribe, and ignores its later callbacks', () => {
    const { lines, pendingTimers } = runSession(({ at, socket, subscription }) => {
      at(10, () => socket.open())
      at(20, () => subscription.unsubscribe())
      at(21, () => socket.deliver('late'))
      at(22, () => socket.listener.binary(new Uint8Array(1)))
      at(23, () => socket.listener.opened())
      at(24, () => socket.listener.closed(1000, ''))
    })
    expect(lines).toEqual(['10 Opened', '20 close'])
    expect(pendingTimers).toBe(0)
  })

  it('closes a connecting socket on unsubscribe', () => {
    const { lines, pendingTimers } = runSession(({ at, subscription }) =>
      at(10, () => subscription.unsubscribe()),
    )
    expect(lines).toEqual(['10 close'])
    expect(pendingTimers).toBe(0)
  })

  it('emits `Lost` once when the socket reports its end twice', () => {
    const { lines } = runSession(({ at, socket }) => {
      at(10, () => socket.open())
      at(20, () => socket.drop(1001, 'first'))
      at(20, () => socket.listener.closed(1002, 'second'))
      at(30, () => socket.listener.opened())
    })
    expect(lines).toEqual(['10 Opened', '20 Lost 1001 first', '20 complete'])
  })

  it('dials once for each subscriber', () => {
    const transport = new ManualTransport()
    const source$ = session$({ transport, ...limits }, ignoringSink, noProber)
    expect(transport.sockets).toHaveLength(0)
    runInVirtualTime(() => {
      const subscriptions = [source$.subscribe(), source$.subscribe()]
      expect(transport.sockets).toHaveLength(2)
      for (const subscription of subscriptions) subscription.unsubscribe()
    })
    expect(transport.activeSockets).toEqual([])
  })
})

describe('a connecting socket', () => {
  it.each([true, false])('is lost after `connectTimeout` (reports its end: %s)', (reportsClose) => {
    const { lines, pendingTimers } = runSession(() => undefined, {}, { reportsClose })
    expect(lines.slice(1)).toEqual(['100 Lost 1006 not open within 100 ms', '100 complete'])
    expect(pendingTimers).toBe(0)
  })

  it('is terminated, not closed, after `connectTimeout`', () => {
    expect(runSession(() => undefined).lines[0]).toBe('100 terminate')
  })

  it('may open until `connectTimeout`, and not after it', () => {
    const late = runSession(({ at, socket }) => at(101, () => socket.listener.opened()))
    expect(late.lines).not.toContain('101 Opened')
    const { lines } = runSession(({ at, socket, subscription }) => {
      at(99, () => socket.open())
      at(140, () => subscription.unsubscribe())
    })
    expect(lines).toEqual(['99 Opened', '140 close'])
  })
})

describe('session$ pings', () => {
  it('are sent every `pingInterval` after the socket opens', () => {
    const pings: number[] = []
    runSession(({ at, socket, subscription }) => {
      at(7, () => socket.open())
      at(200, () => subscription.unsubscribe())
      for (let time = 0; time < 200; time++)
        at(time + 0.5, () => socket.pings > pings.length && pings.push(time))
    }, {})
    expect(pings).toEqual([57, 107, 157])
  })

  it.each([true, false])(
    'without an answer within `pongTimeout` terminate the socket (reports its end: %s)',
    (reportsClose) => {
      const silent = { answersPings: () => false, reportsClose }
      const { lines, pendingTimers } = runSession(({ at, socket }) => at(7, () => socket.open()), {}, silent)
      expect(lines).toEqual([
        '7 Opened',
        '77 terminate',
        '77 Lost 1006 no frame within 20 ms of a ping',
        '77 complete',
      ])
      expect(pendingTimers).toBe(0)
    },
  )

  it('are answered by any frame within `pongTimeout`', () => {
    const { lines } = runSession(
      ({ at, socket, subscription }) => {
        at(0, () => socket.open())
        at(69, () => socket.listener.binary(new Uint8Array(1)))
        at(101, () => socket.listener.alive())
        at(169, () => socket.deliver(''))
        at(171, () => subscription.unsubscribe())
      },
      {},
      { answersPings: () => false },
    )
    expect(lines).toEqual(['0 Opened', '69 binary 1', '169 text ', '171 close'])
  })

  it('of a probe each have the whole `pongTimeout`', () => {
    const { lines } = runSession(
      ({ at, socket, probe }) => {
        at(0, () => socket.open())
        at(1, probe)
        at(5, () => socket.listener.pong?.())
        at(19, probe)
        at(30, () => socket.deliver('')) // after the deadline of the first probe
        at(38, () => socket.listener.pong?.())
        at(60, probe)
      },
      { pingInterval: 1_000 },
      { answersPings: () => false },
    )
    expect(lines).toEqual([
      '0 Opened',
      '30 text ',
      '80 terminate',
      '80 Lost 1006 no frame within 20 ms of a ping',
      '80 complete',
    ])
  })

  describe('with platform timers', () => {
    afterEach(() => void vi.useRealTimers())

    it('support a `pingInterval` beyond the longest platform timer', () => {
      vi.useFakeTimers()
      const transport = new ManualTransport()
      // The periodic checks of real time would fire millions of times.
      const clock = { ...rxClock, isVirtual: true }
      const config = { transport, ...limits, clock, pingInterval: 2 ** 31 + 1000, pongTimeout: 2 ** 30 }
      const subscription = session$(config, ignoringSink, noProber).subscribe()
      transport.lastSocket.open()
      for (const ms of [5, 2 ** 31 - 5]) {
        vi.advanceTimersByTime(ms)
        expect(transport.lastSocket.pings).toBe(0)
      }
      vi.advanceTimersByTime(1000)
      expect(transport.lastSocket.pings).toBe(1)
      subscription.unsubscribe()
      expect(vi.getTimerCount()).toBe(0)
    })
  })
})
