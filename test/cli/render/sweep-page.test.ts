import { describe, expect, it } from 'vitest'
import { chartScript } from '../../../src/view/page/built-chart.js'
import { renderSweep, type SweepPage, type SweepRow } from '../../../src/cli/render/sweep-page.js'

const page: SweepPage = { title: 'Sweep', metric: 'profitUsd', notes: ['A note.'], command: 'npx x' }

const rowOf = (fields: Readonly<Record<string, unknown>>, profitUsd: number): SweepRow => ({
  ...{ name: JSON.stringify(fields), fields, figures: { profitUsd, winRate: 0.5 }, failure: undefined },
  curve: [
    { at: 0, equityUsd: 100 },
    { at: 3_600_000, equityUsd: 100 + profitUsd },
  ],
})

const grid = [10, 2].flatMap((fast) => [30, 40].map((slow) => rowOf({ fast, slow, pair: 'A' }, fast * slow)))

/** The texts of the cells of a table, row by row. */
const cellsOf = (html: string): readonly (readonly string[])[] =>
  html
    .split('<tr>')
    .slice(1)
    .map((row) => [...row.matchAll(/<t[hd][^>]*>([^<]*)</g)].map(([, text = '']) => text))

describe('the page of a sweep', () => {
  it('has a map of two fields that differ, with the values in order, the highest of all with the most colour', () => {
    const html = renderSweep(grid, page)
    const [, map = ''] = html.split('<h2>Profit, USD: fast down, slow across</h2>')
    const [table = ''] = map.split('</table>')
    expect(cellsOf(table)).toEqual([
      ['fast / slow', '30', '40'],
      ['2', '60.00', '80.00'],
      ['10', '300.00', '400.00'],
    ])
    expect([...table.matchAll(/--shade:(\d+)%/g)].map(([, shade]) => Number(shade))).toEqual([0, 2, 28, 40])
    expect(map).toContain('The lowest is 60.00, the highest, outlined, is 400.00.')
  })

  it('has another colour for cells below 0, and as much of it as the value is far from 0', () => {
    const rows = grid.map((row) => ({
      ...row,
      figures: { profitUsd: (row.figures['profitUsd'] ?? 0) - 200 },
    }))
    const cells = [...renderSweep(rows, page).matchAll(/<td([^>]*) style="--shade:(\d+)%/g)]
    expect(cells.map(([, name = '', shade = '']) => `${name} ${shade}`)).toEqual([
      ...[' class="minus" 28', ' class="minus" 24', ' 20', ' class="best" 40'],
    ])
  })

  it('shows in a cell the highest of the parameters that differ in another field', () => {
    const rows = [...grid, rowOf({ fast: 2, slow: 30, pair: 'B' }, 999)]
    const maps = renderSweep(rows, page).split('<h2>Profit, USD: ').slice(1)
    expect(maps.map((map) => map.split('<')[0])).toEqual([
      ...['fast down, slow across', 'fast down, pair across', 'slow down, pair across'],
    ])
    expect(maps[0]).toContain('>999.00<')
  })

  it('has a map of the only field that differs, with its values in order', () => {
    const rows = [3, 1, 2].map((window) => rowOf({ window }, window))
    const [, map = ''] = renderSweep(rows, page).split('<h2>Profit, USD by window</h2>')
    expect(cellsOf(map.split('</table>')[0] ?? '')).toEqual([
      ...[
        ['window', 'Profit, USD'],
        ['1', '1.00'],
        ['2', '2.00'],
        ['3', '3.00'],
      ],
    ])
    expect(map).toContain('The lowest is 1.00, the highest, outlined, is 3.00.')
  })

  it('has the curves of the first five accounts, and a row for each parameter, in their order', () => {
    const rows = Array.from({ length: 7 }, (_, index) => rowOf({ index }, 7 - index))
    const html = renderSweep(rows, page)
    const [caption = ''] =
      html.split('<figcaption>Equity, USD, of the first 5')[1]?.split('</figcaption>') ?? []
    expect(caption.match(/index/g)).toHaveLength(5)
    const [, results = ''] = html.split('<h2>Results: 7</h2>')
    expect(cellsOf(results).map(([first]) => first)).toEqual(['index', '0', '1', '2', '3', '4', '5', '6'])
  })

  it('has a figure of any name', () => {
    const html = renderSweep([{ ...rowOf({ x: 1 }, 0), figures: { constructor: 7 } }], page)
    expect(cellsOf(html.split('<h2>Results: 1</h2>')[1] ?? '')).toEqual([
      ['x', 'constructor'],
      ['1', '7'],
    ])
  })

  it('has why a parameter has no result, escaped, and no map without a number', () => {
    const failed: SweepRow = { ...rowOf({ x: '<b>' }, 0), figures: {}, curve: [], failure: '<i>' }
    const whole = renderSweep([failed, { ...failed, fields: { x: 2 } }], { ...page, metric: undefined })
    const html = whole.replace(`<script>${chartScript}</script>`, '')
    expect(html).toContain('<td>&lt;i&gt;</td>')
    expect(html).not.toMatch(/<b>|<i>|NaN|undefined|Infinity|class="map"/)
  })
})
