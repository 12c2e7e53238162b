import fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayWidth } from '../../../src/cli/output/display-width.js'
import { drawTable, type Column } from '../../../src/cli/output/table.js'
import { printable } from '../../../src/errors/text.js'
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
