import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type Column, displayWidth, drawTable, fit } from '../../../src/cli/render/table.js'
import { printable } from '../../../src/base/errors/text.js'
import { anyText } from '../../support/arbitraries.js'

const column = (title: string, rest: Partial<Column> & { readonly texts: readonly string[] }): Column => ({
  title,
  align: 'right',
  rank: 0,
  width: 0,
  cells: rest.texts.map((text) => ({ text })),
  ...rest,
})
const plain = (text: string) => text

const cellText = anyText.map((text) => printable(text.slice(0, 60)))

test('makes a column as wide as its widest text, and at least as wide as its width', () => {
  const columns = [
    column('A', { align: 'left', texts: ['one', 'three'] }),
    column('NUMBER', { texts: ['1', '22'] }),
    column('W', { width: 4, texts: ['x', 'y'] }),
  ]
  expect(drawTable(columns, 80, plain)).toEqual([
    'A      NUMBER     W',
    'one         1     x',
    'three      22     y',
  ])
})

test('omits the columns of the highest rank together when the table is too wide', () => {
  const columns = [
    column('AAAA', { rank: 0, texts: [] }),
    column('BBBB', { rank: 2, texts: [] }),
    column('CCCC', { rank: 1, texts: [] }),
    column('DDDD', { rank: 2, texts: [] }),
  ]
  const titles = (width: number) => drawTable(columns, width, plain)[0]
  expect([22, 21, 10, 9, 1].map(titles)).toEqual([
    'AAAA  BBBB  CCCC  DDDD',
    'AAAA  CCCC',
    'AAAA  CCCC',
    'AAAA',
    'AAAA',
  ])
})

test('aligns numbers at their decimal points, and other texts right', () => {
  const texts = ['1,234.5', '-0.125', '12', '–', '1e19', 'stale']
  expect(drawTable([column('PRICE', { align: 'decimal', texts })], 80, plain)).toEqual([
    '    PRICE',
    '1,234.5  ',
    '   -0.125',
    '   12    ',
    '        –',
    '     1e19',
    '    stale',
  ])
})

test('ignores paint when it measures widths', () => {
  const paint = (text: string) => `<${text}>`
  const columns = [{ ...column('T', { texts: [] }), cells: [{ text: 'x', paint }, { text: 'long' }] }]
  expect(drawTable(columns, 80, paint)).toEqual(['<   T>', '<   x>', 'long'])
})

test('draws rows of equal display width for any text', () => {
  const texts = fc.array(fc.tuple(cellText, cellText), {
    minLength: 1,
    maxLength: 5,
  })
  fc.assert(
    fc.property(texts, (cells) => {
      const columns = [
        column('服务', { align: 'left', texts: cells.map(([first]) => first) }),
        column('B', { texts: cells.map(([, second]) => second) }),
      ]
      const widths = drawTable(columns, Infinity, plain).map(displayWidth)
      expect(new Set(widths).size).toBe(1)
    }),
  )
})

describe('the width of a text', () => {
  const text = anyText.map((whole) => printable(whole.slice(0, 200)))
  const width = fc.nat({ max: 60 })

  describe('displayWidth', () => {
    it.each([
      ['plain', 5],
      ['服务器', 6],
      ['🚀', 2],
      ['🇫🇷', 2],
      ['e\u0301', 1],
      ['ｗｉｄｅ', 8],
      ['👍🏽', 2],
      ['1\ufe0f\u20e3', 2],
      ['\u1100\u1161\u11a8', 2],
    ])('of %s is %i', (shown, columns) => {
      expect(displayWidth(shown)).toBe(columns)
    })
  })

  describe('fit', () => {
    it('returns a text that fits unchanged, and cuts any other to at most the width', () => {
      fc.assert(
        fc.property(text, width, (whole, columns) => {
          const shown = fit(whole, columns)
          expect(displayWidth(shown)).toBeLessThanOrEqual(columns)
          if (displayWidth(whole) <= columns) expect(shown).toBe(whole)
          else if (columns > 0) expect(shown.endsWith('…')).toBe(true)
        }),
      )
    })

    it('does not cut a grapheme', () => {
      expect(fit('服务器', 4)).toBe('服…')
      expect(fit('服务器', 5)).toBe('服务…')
      expect(fit('🇫🇷🇫🇷', 3)).toBe('🇫🇷…')
      expect(fit('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…')
      expect(fit('服务器', 1)).toBe('…')
      expect(fit('服务器', 0)).toBe('')
      expect(fit('a', -1)).toBe('')
    })
  })
})
