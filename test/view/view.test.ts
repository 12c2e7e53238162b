import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  arranged,
  defaultView as standardView,
  rangeNames,
  formatView,
  parseView,
  sortedBy,
  sortKeys,
  withPin,
  type View,
} from '../../src/view/view.js'
import type { Figures } from '../../src/view/watched-token.js'
import { anyFigures, figures } from '../dashboard/support/figures.js'

const defaultView = standardView(2)

const anyView: fc.Arbitrary<View> = fc.record({
  layout: fc.constantFrom('cards', 'table'),
  range: fc.constantFrom(...rangeNames),
  sort: fc.constantFrom(undefined, ...sortKeys),
  isDescending: fc.boolean(),
  filter: fc.string({ unit: 'grapheme' }),
  pins: fc.uniqueArray(fc.nat(20).map((value) => `0x${value.toString(16)}`)),
})

const named = (symbol: string, values: Partial<Figures> = {}): Figures => {
  const address = `0x${Buffer.from(symbol).toString('hex')}` as const
  return figures({ token: { address, symbol, decimals: 18 }, ...values })
}

const symbolsOf = (rows: readonly Figures[]): readonly string[] => rows.map(({ token }) => token.symbol)

describe('the view in the address of the page', () => {
  it('is read as it was written, whatever it is', () => {
    fc.assert(
      fc.property(anyView, fc.integer({ min: 1, max: 20 }), (view, count) => {
        expect(parseView(`#${formatView(view, count)}`, count)).toEqual(view)
      }),
    )
  })

  it('is empty for the default, and an empty one is the default', () => {
    expect(formatView(defaultView, 2)).toBe('')
    expect(parseView('', 2)).toEqual(defaultView)
  })

  it('is the table for more than eight tokens, unless it says otherwise', () => {
    expect([8, 9].map((count) => parseView('', count).layout)).toEqual(['cards', 'table'])
    expect(parseView('#layout=cards', 9).layout).toBe('cards')
  })

  it('has values that a person can read', () => {
    const view = parseView(
      '#layout=table&range=1h&sort=change&order=descending&filter=eth%20btc&pins=0xAB,0xcd,0xab',
      2,
    )
    expect(view).toEqual({
      layout: 'table',
      range: '1h',
      sort: 'change',
      isDescending: true,
      filter: 'eth btc',
      pins: ['0xab', '0xcd'],
    })
  })

  it('is the default where it is not valid, for any text', () => {
    expect(parseView('#layout=grid&range=2h&sort=colour&pins=eth&other=1', 2)).toEqual(defaultView)
    fc.assert(
      fc.property(fc.string(), (hash) => {
        expect(() => parseView(hash, 2)).not.toThrow()
      }),
    )
  })
})

describe('the tokens of a view', () => {
  it('are in the given order without a sort', () => {
    expect(symbolsOf(arranged([named('B'), named('A')], defaultView))).toEqual(['B', 'A'])
  })

  it('are sorted by each column, with values that are not known last in both directions', () => {
    fc.assert(
      fc.property(anyFigures, fc.constantFrom(...sortKeys), fc.boolean(), (rows, sort, isDescending) => {
        const result = arranged(rows, { ...defaultView, sort, isDescending })
        expect(new Set(result)).toEqual(new Set(rows))
        if (sort === 'symbol') return
        const values = result.map((row) => row[sort])
        const known = values.filter((value) => value !== undefined)
        expect(values.slice(known.length).every((value) => value === undefined)).toBe(true)
        for (const [index, value] of known.entries()) {
          const next = known[index + 1] ?? value
          expect(isDescending ? value >= next : value <= next).toBe(true)
        }
      }),
    )
  })

  it('have numbers in their symbols sorted as numbers', () => {
    const rows = ['T10', 'T2', 'A'].map((symbol) => named(symbol))
    expect(symbolsOf(arranged(rows, { ...defaultView, sort: 'symbol' }))).toEqual(['A', 'T2', 'T10'])
  })

  it('match one of the words of the filter, by symbol or address', () => {
    const rows = ['ETH', 'BTC', 'WETH'].map((symbol) => named(symbol))
    const shown = (filter: string) => symbolsOf(arranged(rows, { ...defaultView, filter }))
    expect(shown('eth')).toEqual(['ETH', 'WETH'])
    expect(shown(' btc  weth ')).toEqual(['BTC', 'WETH'])
    expect(shown(named('BTC').token.address.toUpperCase())).toEqual(['BTC'])
    expect(shown('x')).toEqual(['ETH', 'BTC', 'WETH'])
    expect(shown('none')).toEqual([])
  })

  it('begin with those that are pinned, and are sorted within both parts', () => {
    const rows = [3, 1, 4, 2].map((price) => named(`P${price}`, { price }))
    const pins = [named('P4'), named('P3')].map(({ token }) => token.address)
    const view: View = { ...defaultView, sort: 'price', pins }
    expect(symbolsOf(arranged(rows, view))).toEqual(['P3', 'P4', 'P1', 'P2'])
  })
})

describe('a change of the view', () => {
  it('sorts by another column, the largest numbers first, and the same one the other way round', () => {
    const once = sortedBy(defaultView, 'price')
    expect(once).toMatchObject({ sort: 'price', isDescending: true })
    expect(sortedBy(once, 'price')).toMatchObject({ sort: 'price', isDescending: false })
    expect(sortedBy(once, 'symbol')).toMatchObject({ sort: 'symbol', isDescending: false })
  })

  it('pins a token, and ends that', () => {
    const pinned = withPin(withPin(defaultView, '0x1'), '0x2')
    expect(pinned.pins).toEqual(['0x1', '0x2'])
    expect(withPin(pinned, '0x1').pins).toEqual(['0x2'])
  })
})
