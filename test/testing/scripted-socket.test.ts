import { right } from 'fp-ts/lib/Either.js'
import { NEVER } from 'rxjs'
import { createClient, type ClientOptions, type PriceClient, type Topic } from 'svc-streams'
import { price, scriptedSocket, server, type ScriptedSocket } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import type { SocketListener } from '../../src/wire/transport/ports.js'
import { leftWith, marbles, subscribeFrame } from '../support/time/marbles.js'
import { runInVirtualTime } from '../support/time/virtual-time.js'

const topic: Topic = 'svc-0xab'

const moves = {
  o: server.opens,
  c: server.confirms(topic),
  p: server.prices(topic, 1.5),
  t: server.says('text'),
  b: server.sends(Uint8Array.of(1, 2)),
  y: server.pongs,
  x: server.closes(1012, 'restarting'),
  z: server.closes(),
}

const clientOf = (webSocket: ScriptedSocket, options: Partial<ClientOptions> = {}): PriceClient =>
  createClient({ environment: 'testnet', priceBaseUrl: 'http://localhost', webSocket, ...options })

/** A listener that records its calls. */
const recorder = (): { readonly calls: string[]; readonly listener: SocketListener } => {
  const calls: string[] = []
  return {
    calls,
    listener: {
      opened: () => void calls.push('opened'),
      bytes: () => false,
      text: (frame) => void calls.push(`text ${frame}`),
      binary: (frame) => void calls.push(`binary ${frame.join()}`),
      alive: () => void calls.push('alive'),
      closed: (code, reason) => void calls.push(`closed ${code} ${reason}`),
    },
  }
}

const limits = { maxFrameBytes: 99 }

describe('a scripted socket', () => {
  it('plays a script of marbles from the dial on', () => {
    marbles(({ cold, expectObservable }) => {
      const socket = scriptedSocket(cold('                    o-c-p', moves))
      const client = clientOf(socket)
      expectObservable(client.price$(topic), '  ----------^----!').toBe('--------------p', {
        p: right(price(topic, 1.5, { receivedAt: 14, epoch: 1 })),
      })
      expectObservable(socket.dials$, '         ^--------------!').toBe('----------1', { '1': 1 })
      expectObservable(socket.sent$, '          ^--------------!').toBe('----------s', {
        s: subscribeFrame(topic),
      })
    })
  })

  it('calls the listener for each move, and not before dial has returned', () => {
    const { calls, listener } = recorder()
    let callsAtReturn = -1
    marbles(({ cold }) => {
      scriptedSocket(cold('(opctbyx)', moves)).dial('ws://localhost', limits, listener)
      callsAtReturn = calls.length
    })
    expect(callsAtReturn).toBe(0)
    expect(calls).toEqual([
      'opened',
      'text {"topic":"svc-0xab","price":1.5}',
      'text {"subscriptions":["svc-0xab"]}',
      'text text',
      'binary 1,2',
      'alive',
      'closed 1012 restarting',
    ])
  })

  it.each([
    ['closes', 'o-x-p', ['opened', 'closed 1012 restarting']],
    ['closes without a close frame', 'o-z-p', ['opened', 'closed 1006 ']],
    ['completes', 'o-|', ['opened', 'closed 1006 the script is over']],
    ['fails', 'o-#', ['opened', 'closed 1006 error']],
  ])('closes the connection once when the script %s', (_name, script, expected) => {
    const { calls, listener } = recorder()
    marbles(({ cold }) => {
      scriptedSocket(cold(script, moves)).dial('ws://localhost', limits, listener)
    })
    expect(calls).toEqual(expected)
  })

  it('plays the script again for each dial, or a script that depends on its number', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const same$ = cold('o----', moves)
      const socket = scriptedSocket(same$)
      socket.dial('ws://localhost', limits, recorder().listener)
      cold('--d').subscribe(() => socket.dial('ws://localhost', limits, recorder().listener))
      expectSubscriptions(same$.subscriptions).toBe(['^', '--^'])
      expectObservable(socket.dials$).toBe('--2', { '2': 2 })
    })
    const first = recorder()
    const second = recorder()
    marbles(({ cold }) => {
      const socket = scriptedSocket((dial) => cold(dial === 1 ? 't' : 'b', moves))
      socket.dial('ws://localhost', limits, first.listener)
      socket.dial('ws://localhost', limits, second.listener)
    })
    expect([first.calls, second.calls]).toEqual([['text text'], ['binary 1,2']])
  })

  it('plays the same script independently for two clients', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('ocp', moves)
      const seen = { p: right(price(topic, 1.5, { receivedAt: 2, epoch: 1 })) }
      expectObservable(clientOf(scriptedSocket(script$)).price$(topic), '^---!').toBe('--p', seen)
      expectObservable(clientOf(scriptedSocket(script$)).price$(topic), '^---!').toBe('--p', seen)
    })
  })
})

describe('the client of a scripted socket', () => {
  it('receives a pong for each ping unless answersPings is false', () => {
    for (const answersPings of [undefined, true, false]) {
      const { calls, listener } = recorder()
      const socket = scriptedSocket(NEVER, answersPings === undefined ? {} : { answersPings })
      runInVirtualTime(() => {
        const dialled = socket.dial('ws://localhost', limits, listener)
        dialled.ping?.('1')
        dialled.close()
        dialled.ping?.('1')
      })
      expect(calls.filter((line) => line === 'alive')).toHaveLength(answersPings === false ? 0 : 1)
    }
  })

  it.each(['close', 'terminate'] as const)(
    'ends the script by `%s` and is reported once by hangUps$',
    (how) => {
      const { calls, listener } = recorder()
      const seen: string[] = []
      runInVirtualTime(() => {
        const socket = scriptedSocket(NEVER)
        socket.hangUps$.subscribe((dial) => seen.push(`hang-up ${dial}`))
        socket.sent$.subscribe((frame) => seen.push(`sent ${frame}`))
        const dialled = socket.dial('ws://localhost', limits, listener)
        dialled.send('before')
        dialled[how]()
        dialled[how]()
        dialled.send('after')
      })
      expect(seen).toEqual(['sent before', 'hang-up 1'])
      expect(calls).toHaveLength(1)
      expect(calls[0]).toMatch(/^closed /)
    },
  )

  it('is not reported by hangUps$ when the service closes', () => {
    marbles(({ cold, expectObservable }) => {
      const socket = scriptedSocket(cold('ox', moves))
      const client = clientOf(socket)
      expectObservable(client.price$(topic), '^--!').toBe('-x', { x: leftWith({ _tag: 'Disconnected' }) })
      expectObservable(socket.hangUps$, '^ 99ms !').toBe('')
    })
  })

  it('can close the transport', async () => {
    await expect(scriptedSocket(NEVER).close()).resolves.toBeUndefined()
  })
})
