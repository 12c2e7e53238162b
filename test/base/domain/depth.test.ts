import { deepStrictEqual } from 'node:assert'
import { inspect } from 'node:util'
import { isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { firstValueFrom, map, of, take, toArray } from 'rxjs'
import { createClient, decodeDepth, encodeDepth, type Depth, type DepthSnapshot } from 'svc-streams'
import { combineFresh } from 'svc-streams/operators'
import { createTestClient, depth } from 'svc-streams/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { decodeDepthSlowPath } from '../../../src/wire/codec/depth.js'
import { decodeRow, encodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { startTestSimulator } from '../../support/simulator.js'
import { weth } from '../../support/tokens.js'

const mint = '0xab'
const side = { totalQuantity: 9336472979533427000n, totalQuantityUsd: 25044.1 }
const snapshot: DepthSnapshot = { price: 2682.5, timestamp: 1, buy: side, sell: side }
const plain: Depth = { mint, ...snapshot, receivedAt: 2 }

const valueOf = <A>(result: Either<unknown, A>): A =>
  isRight(result) ? result.right : expect.unreachable('a Left')

const fromRecording = (): DepthSnapshot => {
  const row = { _tag: 'Depth', at: 1, mint, event: right(plain) } as const
  const decoded = valueOf(decodeRow(JSON.stringify(JSON.parse(encodeRow(row)))))
  if (decoded._tag !== 'Depth') return expect.unreachable()
  return valueOf(decoded.event)
}

/** A depth from each source, and the plain object with the same fields. */
const sources: Readonly<Record<string, () => readonly [DepthSnapshot, DepthSnapshot]>> = {
  decodeDepth: () => [valueOf(decodeDepth(encodeDepth(plain))), snapshot],
  'decodeDepth for an unusual layout': () => [
    valueOf(decodeDepthSlowPath(` ${encodeDepth(plain)}`)),
    snapshot,
  ],
  'a recording': () => [fromRecording(), plain],
  'the builder of svc-streams/testing': () => [depth(mint, plain), plain],
}

describe.each(Object.entries(sources))('a depth of %s', (_, create) => {
  it('is written by JSON.stringify, alone and inside of events, with quantities as decimal strings', () => {
    const [value, expected] = create()
    const json = { totalQuantity: '9336472979533427000', totalQuantityUsd: 25044.1 }
    const text = JSON.stringify(value)
    expect(JSON.parse(text)).toEqual({ ...expected, buy: json, sell: json })
    expect(JSON.stringify(right([value]))).toBe(`{"_tag":"Right","right":[${text}]}`)
    expect(JSON.stringify({ ...value })).toBe(text)
    expect(JSON.stringify(left({ last: value }))).toContain(text)
    expect(JSON.stringify(value.buy)).toBe(JSON.stringify(json))
  })

  it('equals a plain object, in both directions', () => {
    const [value, expected] = create()
    expect(value).toEqual(expected)
    expect(value).toStrictEqual(expected)
    expect(expected).toStrictEqual(value)
    deepStrictEqual(value, expected)
    deepStrictEqual(expected, value)
    deepStrictEqual(Object.keys(value.buy), ['totalQuantity', 'totalQuantityUsd'])
    expect(inspect(value)).toBe(inspect(expected))
  })

  it('can be cloned, spread and frozen', () => {
    const [value, expected] = create()
    deepStrictEqual(structuredClone(value), expected)
    deepStrictEqual({ ...value, buy: { ...value.buy } }, expected)
    expect(JSON.stringify(Object.freeze(value.buy))).toContain('"9336472979533427000"')
  })

  it('is written with the bigints of a program that defines BigInt.prototype.toJSON', () => {
    const [value] = create()
    Object.defineProperty(BigInt.prototype, 'toJSON', {
      value(this: bigint) {
        return `${this}n`
      },
      configurable: true,
    })
    onTestFinished(() => void Reflect.deleteProperty(BigInt.prototype, 'toJSON'))
    expect(JSON.stringify(value)).toContain('"9336472979533427000n"')
  })
})

describe('JSON.stringify', () => {
  it('accepts the events, the combination and the snapshot of a live client', async () => {
    const simulator = await startTestSimulator({})
    const client = closeAfterTest(createClient({ environment: 'mainnet', ...simulator }))
    const depth$ = client.depth$(weth, 5)
    const both$ = combineFresh({ depth: depth$ }, { maxSkew: 1000 })
    const texts$ = both$.pipe(
      map((event) => JSON.stringify([event, client.inspect()])),
      take(2),
      toArray(),
    )
    const [missing = '', fresh = ''] = await firstValueFrom(texts$)
    expect(missing).toContain('NotFresh')
    expect(fresh).toMatch(/"totalQuantity":"\d+"/)
    expect(JSON.stringify(await client.depth(weth)())).toMatch(/"totalQuantity":"\d+"/)
  })

  it('accepts the events of a test client', async () => {
    const client = createTestClient({ depths: { [mint]: of(depth(mint)) } })
    expect(JSON.stringify(await firstValueFrom(client.depth$(mint, 1)))).toContain('"totalQuantity":"1"')
  })
})
