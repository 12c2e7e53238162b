import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../scripts/picture/record.js'
import { svgOf } from '../../scripts/picture/svg.js'

const frame = (...texts: readonly string[]): Frame =>
  texts.map((text) => (text === '' ? [] : [{ column: 0, text, style: '' }]))

describe('the terminal picture of the README', () => {
  const picture = readFileSync(new URL('../../docs/images/demo.svg', import.meta.url), 'utf8')

  it('is smaller than 100 kB', () => {
    expect(Buffer.byteLength(picture)).toBeLessThan(100_000)
  })

  it('runs no script and loads nothing', () => {
    expect(picture).not.toMatch(/<script|<image|<use|href|@import|url\(|\son\w+=/)
  })

  it('shows live prices, a lost connection and the recovery', () => {
    for (const text of [
      'A simulator plays',
      'it drops its connection in',
      'live',
      'down',
      'Connected again',
    ]) {
      expect(picture).toContain(text)
    }
  })
})

describe('svgOf', () => {
  it('draws a row once for as long as it does not change', () => {
    const svg = svgOf('title', [frame('same', 'a'), frame('same', 'a'), frame('same', 'b')], 10)
    expect(svg.match(/>same</g)).toHaveLength(1)
    const rows = [...svg.matchAll(/<g class="(.*?)" style="(.*?)"><text[^>]*>(.*?)<\/text>/g)]
    expect(rows.map(([, ...parts]) => parts)).toEqual([
      ['r', 'animation-name:k2;animation-duration:3s;animation-delay:0s', 'a'],
      ['r end', 'animation-name:k1;animation-duration:3s;animation-delay:-1s', 'b'],
    ])
  })

  it('escapes the characters of markup', () => {
    expect(svgOf('<"&>', [frame('<a> & "b"')], 10)).toMatch(
      /aria-label="&#60;&#34;&#38;&#62;"[^]*>&#60;a&#62; &#38; &#34;b&#34;</,
    )
  })
})
