import dns from 'node:dns'
import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import { isRight } from 'fp-ts/lib/Either.js'
import { expect, it, onTestFinished, vi } from 'vitest'
import { rxClock } from '../../../src/base/time/clock.js'
import { dialHost } from '../../../src/wire/transport/dial-host.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'

/** An address: the time that a dial takes, in ms, and its end. `Infinity`: it never ends. */
type Attempt = readonly [name: string, ms: number, end?: 'fails']

/** The log of a dial of a host with these addresses: each start, cancellation and result with its time. */
const logOf = (attempts: readonly Attempt[], cancelAt = Infinity): readonly string[] => {
  const log: string[] = []
  const found = attempts.map(([address]) => ({ address, family: 4 }))
  const lookup = (
    _host: string,
    _options: object,
    callback: (error: null, all: typeof found) => void,
  ): void => callback(null, found)
  const mock = vi.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup)
  onTestFinished(() => mock.mockRestore())
  runInVirtualTime(({ at, now }) => {
    const note = (text: string): unknown => log.push(`${now()} ${text}`)
    const open = (name: string): Duplex => {
      const [, ms = Infinity, end] = attempts.find(([each]) => each === name) ?? []
      const socket = Object.assign(new EventEmitter(), { destroy: () => note(`cancel ${name}`) })
      note(`start ${name}`)
      if (ms < Infinity)
        at(now() + ms, () => {
          if (end !== 'fails') return socket.emit('connect')
          socket.emit('error', new Error(name))
          return socket.emit('close')
        })
      return socket as unknown as Duplex
    }
    const namesOf = (error: Error): string =>
      error instanceof AggregateError
        ? error.errors.map((each: Error) => each.message).join(' ')
        : error.message
    const names = new Map<Duplex, string>()
    const openNamed = (name: string): Duplex => {
      const socket = open(name)
      names.set(socket, name)
      return socket
    }
    at(0, () => {
      const cancel = dialHost(
        'prices.example',
        openNamed,
        'connect',
        (result) =>
          note(isRight(result) ? `result ${names.get(result.right)}` : `failures ${namesOf(result.left)}`),
        rxClock,
      )
      if (cancelAt < Infinity) at(cancelAt, cancel)
    })
  })
  return log
}

it.each<[string, readonly Attempt[], readonly string[]]>([
  [
    'dials one address if it answers soon',
    [
      ['a', 100],
      ['b', 0],
    ],
    ['0 start a', '100 result a'],
  ],
  [
    'keeps a slow dial while the next ones run, and cancels these when it succeeds',
    [
      ['a', 600],
      ['b', Infinity],
      ['c', Infinity],
      ['d', 0],
    ],
    ['0 start a', '250 start b', '500 start c', '600 cancel b', '600 cancel c', '600 result a'],
  ],
  [
    'dials the next address at once when one fails, and counts the time until the next one from there',
    [
      ['a', 100, 'fails'],
      ['b', Infinity],
      ['c', 10],
    ],
    ['0 start a', '100 start b', '350 start c', '360 cancel b', '360 result c'],
  ],
  [
    'reports all failures when the last dial has failed',
    [
      ['a', 300, 'fails'],
      ['b', 10, 'fails'],
    ],
    ['0 start a', '250 start b', '300 failures b a'],
  ],
])('%s', (_title, attempts, log) => {
  expect(logOf(attempts)).toEqual(log)
})

it('cancels all dials, and starts and reports none after that', () => {
  expect(
    logOf(
      [
        ['a', 400],
        ['b', 500],
        ['c', 10],
      ],
      300,
    ),
  ).toEqual(['0 start a', '250 start b', '300 cancel a', '300 cancel b'])
})
