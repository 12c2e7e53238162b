import { Readable } from 'node:stream'
import { sweep } from 'svc-streams/sweep'
import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/base/errors/configuration-error.js'

const messageOf = (args: readonly unknown[]): string => {
  try {
    Reflect.apply(sweep, undefined, args)
    return 'accepted'
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigurationError)
    return (thrown as ConfigurationError).message
  }
}

const strategy = new URL('file:///strategy.js')
const workers = 'workers: expected a whole number from 1 to 1024'
const source =
  'source: expected a path, a file URL, or an array of these: each worker opens the files by itself'
const module =
  /^strategy: expected the file: URL of a module, such as import\.meta\.resolve\('\.\/strategy\.js'\)/

describe('sweep', () => {
  it.each([0, -1, 1.5, NaN, Infinity, '2', null])('throws for %s workers', (count) => {
    expect(messageOf(['a', strategy, [], { workers: count }])).toBe(workers)
  })

  it.each<[object | null, string]>([
    [{ worker: 2 }, 'worker: did you mean workers?'],
    [{ from: 'now' }, 'from: expected a time in ms since the Unix epoch'],
    [{ from: 2, to: 1 }, 'to: expected a time after from'],
    [{ environment: 'main' }, "environment: expected 'mainnet' or 'testnet'"],
    [null, 'options: expected an object'],
    [{ workers: undefined, other: 1 }, 'accepted'],
  ])('checks the options %j', (options, message) => {
    expect(messageOf(['a', strategy, [], options])).toBe(message)
  })

  it.each([
    [5],
    [undefined],
    [null],
    [Readable.from(['a'])],
    [['a', ['b']]],
    [new URL('https://example.com/market.ndjson')],
  ])('throws for a source that a worker cannot open: %s', (value) => {
    expect(messageOf([value, strategy, []])).toBe(source)
  })

  it.each([['strategy.js'], ['./strategy.js'], ['/strategy.js'], [() => undefined], [undefined], [null]])(
    'throws for a strategy that is no URL of a module: %s',
    (value) => {
      expect(messageOf(['a', value, []])).toMatch(module)
    },
  )

  it('accepts the URL of a strategy as a string', () => {
    expect(messageOf(['a', strategy.href, []])).toBe('accepted')
  })

  it('throws for a parameter that cannot be cloned', () => {
    expect(messageOf(['a', strategy, [1, { run: () => 2 }]])).toMatch(
      /^parameters: parameter 1 cannot be cloned: ./,
    )
    expect(messageOf(['a', strategy, 'abc'])).toBe('parameters: expected an array')
  })
})
