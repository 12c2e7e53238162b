import { describe, expect, it } from 'vitest'
import { Outbox } from '../../../src/gateway/prices/outbox.js'
import { PingTimer } from '../../../src/gateway/prices/ping-timer.js'
import { currentClock } from '../../../src/time/active-clock.js'
import { nextTurn } from '../../../src/time/next-turn.js'
import { marbles } from '../../support/time/marbles.js'
import { createManualSession } from '../support/manual-session.js'

describe('a connection', () => {
  it('writes the frames of a tick once, after it', async () => {
    const outbox = new Outbox()
    const [first, second] = [createManualSession({ outbox }), createManualSession({ outbox })]
    first.session.sendText('a')
    second.session.sendText('a')
    first.session.sendText('größer')
    expect([first.log, second.log]).toEqual([[], []])
    await nextTurn()
    expect([first.log, second.log]).toEqual([['a', 'größer'], ['a']])
    second.session.sendText('b')
    await nextTurn()
    expect([first.log, second.log]).toEqual([
      ['a', 'größer'],
      ['a', 'b'],
    ])
  })

  it('sends what is pending before the close frame, and nothing after it', async () => {
    const { session, log } = createManualSession()
    session.sendText('a')
    session.end('service-down', 'down', 1)
    session.sendText('b')
    session.end('closing', 'twice', 1)
    await nextTurn()
    expect(log.slice(0, 2)).toEqual(['a', 'close 1013 down'])
    session.onClosed()
    expect(log).not.toContain('b')
  })

  it('is ended when the consumer does not answer the close frame in time', () => {
    marbles(({ flush, hot }) => {
      const { session, log } = createManualSession()
      session.end('service-down', 'down', 5)
      hot('----x').subscribe(() => expect(log).toEqual(['close 1013 down']))
      flush()
      expect(log).toEqual(['close 1013 down', 'terminate'])
    })
  })

  it('is not ended later once it is closed', () => {
    marbles(({ flush }) => {
      const { session, log } = createManualSession()
      session.end('service-down', 'down', 5)
      session.onClosed()
      flush()
      expect(log).toEqual(['close 1013 down'])
    })
  })

  it('has 10 s to read its backlog when it is too far behind', () => {
    marbles(({ flush, hot }) => {
      const { session, log, setUnsent } = createManualSession({ maxBufferedBytes: 1000 })
      setUnsent(1000)
      session.write(Buffer.from('\x81\x01a', 'latin1'))
      expect(log).toEqual(['a'])
      setUnsent(1001)
      session.write(Buffer.from('\x81\x01b', 'latin1'))
      const expected = ['a', 'b', 'close 1013 too far behind: more than 1000 bytes are unsent']
      hot('9999ms x').subscribe(() => expect(log).toEqual(expected))
      flush()
      expect(log).toEqual([...expected, 'terminate'])
    })
  })
})

describe('the pings', () => {
  it('end a connection that has not answered two, after 45 s', () => {
    marbles(({ hot, flush }) => {
      const [silent, alive] = [createManualSession(), createManualSession()]
      const pings = new PingTimer(new Set([silent.session, alive.session]), currentClock())
      pings.start()
      hot('44999ms x').subscribe(() => {
        expect(silent.log).toEqual(['ping 1', 'ping 2'])
        alive.session.onPong('')
      })
      hot('46s x').subscribe(() => pings.stop())
      flush()
      expect([silent.log, alive.log]).toEqual([
        ['ping 1', 'ping 2', 'terminate'],
        ['ping 1', 'ping 2', 'ping 3'],
      ])
    })
  })

  it('stop when there is no connection', () => {
    marbles(({ flush }) => {
      const connections = new Set([createManualSession().session])
      const pings = new PingTimer(connections, currentClock())
      pings.start()
      connections.clear()
      // Fails with an endless loop of timers otherwise.
      flush()
    })
  })
})
