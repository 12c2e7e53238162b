import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { candles } from '../../../src/view/price-candles.js'
import {
  drawChart,
  gapsOf,
  reportFormat,
  scaleOf,
  type Chart,
  type Cursor,
} from '../../../src/view/chart/chart.js'
import {
  areaOf,
  indexAt,
  lineOf,
  partOf,
  rangeOf,
  tracesOf,
  type Span,
} from '../../../src/view/chart/chart-data.js'
import type { Layers } from '../../../src/view/chart/chart-html.js'

const data = { times: [1000, 2000, 3000, 9000], values: [10, null, 12, 12] }

describe('the data of a chart', () => {
  it('are found by the time from which they hold', () => {
    const at = [-Infinity, 999, 1000, 1999, 2000, 9000, Infinity]
    expect(at.map((time) => indexAt(data.times, time))).toEqual([-1, -1, 0, 0, 1, 3, 3])
    // Two with one time: the later one.
    expect(indexAt([1, 2, 2, 3], 2)).toBe(2)
  })

  it('are those of a part of the time, with the ones before and after it', () => {
    expect(partOf(data, { from: 1500, to: 9000 })).toEqual(data)
    expect(partOf(data, { from: 2500, to: 2700 })).toEqual({ times: [2000, 3000], values: [null, 12] })
    expect(partOf({ times: [], values: [] }, { from: 0, to: 500 })).toEqual({ times: [], values: [] })
  })

  it('have a lowest and a highest value, if there is one', () => {
    expect(rangeOf([null])).toBeUndefined()
    expect(rangeOf([5, null, 7, 3])).toEqual({ from: 3, to: 7 })
  })

  it('are lines between gaps, a dot for a value alone, and steps that last until the gap', () => {
    const place = { x: (at: number) => at / 1000, y: (value: number) => value }
    expect(lineOf(tracesOf(data, place))).toBe('M1,10h0M3,12L9,12')
    const steps = tracesOf(data, place, true)
    expect(lineOf(steps)).toBe('M1,10H2M3,12H9V12')
    expect(areaOf(steps, 20)).toBe('M1,20L1,10H2V20ZM3,20L3,12H9V12V20Z')
  })

  it('have gaps, also one that lasts', () => {
    expect(gapsOf({ times: [1, 2, 5, 9, 12], values: [10, null, 11, null, null] })).toEqual([
      { from: 2, to: 5 },
      { from: 9, to: 12 },
    ])
  })
})

describe('the scale of a chart', () => {
  it('has a margin, and a height of at least 0.02 % of the value', () => {
    expect(scaleOf({ from: 100, to: 200 })).toEqual({ from: 90, to: 210 })
    const { from, to } = scaleOf({ from: 1000, to: 1000 })
    expect(to - from).toBeCloseTo(0.24)
  })

  it('contains all values', () => {
    const value = fc.integer({ min: -1e9, max: 1e9 }).map((thousandths) => thousandths / 1000)
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)]
        const { from, to } = scaleOf({ from: low, to: high })
        expect(from).toBeLessThan(low)
        expect(to).toBeGreaterThan(high)
      }),
    )
  })
})

const chart: Chart = { data, times: { from: 1000, to: 9000 }, kind: 'line' }

const draw = (changes: Partial<Chart>, cursor?: Cursor, selection?: Span): Layers => {
  const changed = { ...chart, ...changes }
  return drawChart(changed, reportFormat(changed), { width: 800, height: 120 }, cursor, selection).layers
}

describe('the drawing of a chart', () => {
  it('has the line, the gaps, and labels at round values and times', () => {
    const layers = draw({})
    expect(layers.line).toBe('M0,110h0M200,10L800,10')
    expect(layers.gaps).toBe('M100,0H200V120H100Z')
    expect(layers.none).toBe('')
    const textsOf = (markup: string) => [...markup.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text)
    expect(textsOf(layers.values)).toEqual(['10', '11', '12'])
    expect(textsOf(layers.times)).toEqual([
      '00:00:02',
      '00:00:03',
      '00:00:04',
      '00:00:05',
      '00:00:06',
      '00:00:07',
      '00:00:08',
    ])
  })

  it('has a line and a label of the last value while it is live, which covers no other label', () => {
    const layers = draw({ isLive: true, kind: 'steps' })
    expect(layers.last).toBe('M0,10H800')
    expect(layers.dots).toBe('M796,10h0')
    expect(layers.values).toContain('<text x="8" y="8.33%">12.00</text></g>')
    expect(layers.values.match(/y="8.33%">12/g)).toHaveLength(1)
  })

  it('has steps that are filled, candles, and shares that are filled up to 0', () => {
    expect(draw({ kind: 'steps' }).area).toBe('M0,120L0,110H100V120ZM200,120L200,10H800V10V120Z')
    const { line, up } = draw({ kind: 'steps', shapes: candles, times: { from: 0, to: 300_000 } })
    expect([line, up.match(/Z/g)?.length]).toEqual(['', 1])
    expect(draw({ isShare: true, data: { times: [1000, 9000], values: [-10, 0] } }).area).toBe(
      'M0,10L0,110L800,10V10Z',
    )
  })

  it('has triangles at the marks, one for each that has room', () => {
    const mark = { at: 5000, value: 12, side: 'buy', text: '' } as const
    expect(draw({ marks: [mark, { ...mark, at: 500 }] }).marks).toBe(
      '<use href="#buy" class="buy" x="50%" y="8.33%"/>',
    )
    const many = Array.from({ length: 200 }, (_, index) => ({ ...mark, at: 5000 + index }))
    const drawn = draw({ marks: many }).marks
    // They are within 20 px.
    expect(drawn.match(/<use href="#buy" class="buy" x="[\d.]+%" y="8.33%"\/>/g)).toHaveLength(4)
  })

  it('has the crosshair, also in a gap, the selection and levels', () => {
    expect(draw({}, { at: 3000, value: 12 })).toMatchObject({
      crosshair: 'M200,0V120M0,10H800',
      dots: 'M200,10h0',
    })
    expect(draw({}, { at: 2000, value: null })).toMatchObject({ crosshair: 'M100,0V120', dots: '' })
    const span = { from: 5000, to: 20_000 }
    expect(draw({ levels: [12, 50] }, undefined, span)).toMatchObject({
      selection: 'M400,0H800V120H400Z',
      levels: 'M0,10H800',
    })
  })

  it('has a word without a value', () => {
    expect(draw({ data: { times: [1000, 2000], values: [null, null] } }).none).toContain('No prices')
  })

  it('has coordinates for any values', () => {
    const value = fc.option(fc.double({ min: -1e12, max: 1e12, noNaN: true }))
    fc.assert(
      fc.property(fc.array(value, { maxLength: 30 }), fc.boolean(), (values, isShare) => {
        const times = values.map((_, index) => index * 1000)
        const layers = draw({ isShare, data: { times, values }, times: { from: 0, to: 30_000 } })
        expect(Object.values(layers).join('')).not.toMatch(/NaN|Infinity|undefined/)
      }),
    )
  })
})
