import { right } from 'fp-ts/lib/Either.js'
import { NEVER } from 'rxjs'
import { createClient, type ClientOptions, type PriceClient, type Topic } from 'svc-streams'
import { price, scriptedSocket, server, type ScriptedSocket } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import type { SocketListener } from '../../src/transport/ports.js'
import { fails, marbles, subscribes } from '../support/marbles.js'
import { virtually } from '../support/virtual.js'

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

/** A listener that writes down what it is told. */
const recorder = (): { readonly told: string[]; readonly listener: SocketListener } => {
  const told: string[] = []
  return {
    told,
    listener: {
      opened: () => void told.push('opened'),
      bytes: () => false,
      text: (frame) => void told.push(`text ${frame}`),
      binary: (frame) => void told.push(`binary ${frame.join()}`),
      alive: () => void told.push('alive'),
      closed: (code, reason) => void told.push(`closed ${code} ${reason}`),
    },
  }
}

const limits = { maxFrameBytes: 99 }

describe('a script', () => {
  it('is what the service does, in marbles, from the dial on', () => {
    marbles(({ cold, expectObservable }) => {
      const socket = scriptedSocket(cold('                    o-c-p', moves))
      const client = clientOf(socket)
      expectObservable(client.price$(topic), '  ----------^----!').toBe('--------------p', {
        p: right(price(topic, 1.5, { receivedAt: 14, epoch: 1 })),
      })
      expectObservable(socket.dials$, '         ^--------------!').toBe('----------1', { '1': 1 })
      expectObservable(socket.sent$, '          ^--------------!').toBe('----------s', {
        s: subscribes(topic),
      })
    })
  })

  it('tells the listener each move, and nothing before the dial has returned', () => {
    const { told, listener } = recorder()
    let toldByReturn = -1
    marbles(({ cold }) => {
      scriptedSocket(cold('(opctbyx)', moves)).dial('ws://localhost', limits, listener)
      toldByReturn = told.length
    })
    expect(toldByReturn).toBe(0)
    expect(told).toEqual([
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
  ])('ends the connection once where it %s', (_name, script, expected) => {
    const { told, listener } = recorder()
    marbles(({ cold }) => {
      scriptedSocket(cold(script, moves)).dial('ws://localhost', limits, listener)
    })
    expect(told).toEqual(expected)
  })

  it('is played anew for each dial, or may differ by its number', () => {
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
    expect([first.told, second.told]).toEqual([['text text'], ['binary 1,2']])
  })

  it('may be shared by clients: each plays its own', () => {
    marbles(({ cold, expectObservable }) => {
      const script$ = cold('ocp', moves)
      const seen = { p: right(price(topic, 1.5, { receivedAt: 2, epoch: 1 })) }
      expectObservable(clientOf(scriptedSocket(script$)).price$(topic), '^---!').toBe('--p', seen)
      expectObservable(clientOf(scriptedSocket(script$)).price$(topic), '^---!').toBe('--p', seen)
    })
  })
})

describe('the client at the other end', () => {
  it('has its pings answered, or not', () => {
    for (const answersPings of [undefined, true, false]) {
      const { told, listener } = recorder()
      const socket = scriptedSocket(NEVER, answersPings === undefined ? {} : { answersPings })
      virtually(() => {
        const dialled = socket.dial('ws://localhost', limits, listener)
        dialled.ping()
        dialled.close()
        dialled.ping()
      })
      expect(told.filter((line) => line === 'alive')).toHaveLength(answersPings === false ? 0 : 1)
    }
  })

  it.each(['close', 'terminate'] as const)('ends the script by `%s`, which is seen once', (how) => {
    const { told, listener } = recorder()
    const seen: string[] = []
    virtually(() => {
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
    expect(told).toHaveLength(1)
    expect(told[0]).toMatch(/^closed /)
  })

  it('is not seen to hang up where the service did', () => {
    marbles(({ cold, expectObservable }) => {
      const socket = scriptedSocket(cold('ox', moves))
      const client = clientOf(socket)
      expectObservable(client.price$(topic), '^--!').toBe('-x', { x: fails({ _tag: 'Disconnected' }) })
      expectObservable(socket.hangUps$, '^ 99ms !').toBe('')
    })
  })

  it('may close the transport', async () => {
    await expect(scriptedSocket(NEVER).close()).resolves.toBeUndefined()
  })
})
