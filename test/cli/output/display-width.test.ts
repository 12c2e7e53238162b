import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { displayWidth, fit, fitMiddle, padEnd, padStart } from '../../../src/cli/output/display-width.js'
import { printable } from '../../../src/errors/text.js'
import { anyText } from '../../support/arbitraries.js'

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
    ['x🏽', 3],
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

describe('fitMiddle', () => {
  it('returns a text that fits unchanged, and cuts the middle of any other', () => {
    fc.assert(
      fc.property(text, width, (whole, columns) => {
        const shown = fitMiddle(whole, columns)
        expect(displayWidth(shown)).toBeLessThanOrEqual(columns)
        if (displayWidth(whole) <= columns) expect(shown).toBe(whole)
        else if (columns > 0) expect(shown).toContain('…')
      }),
    )
  })

  it('keeps the start and the end, and does not cut a grapheme', () => {
    expect(fitMiddle('abcdefghij', 7)).toBe('abc…hij')
    expect(fitMiddle('abcdefghij', 6)).toBe('ab…hij')
    expect(fitMiddle('服务器服务器', 8)).toBe('服…务器')
    expect(fitMiddle('abc', 1)).toBe('…')
    expect(fitMiddle('abc', 0)).toBe('')
  })
})

describe('padStart and padEnd', () => {
  it('fill a text up to the width, and keep a wider one', () => {
    fc.assert(
      fc.property(text, width, (whole, columns) => {
        for (const padded of [padEnd(whole, columns), padStart(whole, columns)]) {
          expect(displayWidth(padded)).toBe(Math.max(columns, displayWidth(whole)))
          expect(padded).toContain(whole)
        }
      }),
    )
  })
})
