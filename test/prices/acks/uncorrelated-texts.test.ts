import { describe, expect, it } from 'vitest'
import { UncorrelatedTexts } from '../../../src/prices/acks/uncorrelated-texts.js'

describe('UncorrelatedTexts', () => {
  it('returns the texts since a given time', () => {
    const texts = new UncorrelatedTexts()
    texts.add('early', 10)
    texts.add('late', 20)
    expect(texts.since(10)).toEqual(['early', 'late'])
    expect(texts.since(11)).toEqual(['late'])
    expect(texts.since(21)).toEqual([])
  })

  it('stores the latest 16 texts, each truncated to 2 kB', () => {
    const texts = new UncorrelatedTexts()
    for (let at = 0; at < 100; at++) texts.add(`${at} ${'x'.repeat(10_000)}`, at)
    const stored = texts.since(0)
    expect(stored.length).toBe(16)
    expect(stored[0]).toMatch(/^84 x/)
    expect(stored.at(-1)).toMatch(/^99 x/)
    expect(Math.max(...stored.map((text) => text.length))).toBe(2048)
  })

  it('is empty after `clear`', () => {
    const texts = new UncorrelatedTexts()
    expect(texts.isEmpty).toBe(true)
    texts.add('text', 0)
    expect(texts.isEmpty).toBe(false)
    texts.clear()
    expect(texts.isEmpty).toBe(true)
    expect(texts.since(0)).toEqual([])
  })
})
