import { describe, expect, it } from 'vitest'
import { UncorrelatedTexts } from '../../src/prices/uncorrelated-texts.js'

describe('the error texts that belong to no topic', () => {
  it('are kept with their time, so that a topic is told those of its own wait', () => {
    const texts = new UncorrelatedTexts()
    texts.add('early', 10)
    texts.add('late', 20)
    expect(texts.since(10)).toEqual(['early', 'late'])
    expect(texts.since(11)).toEqual(['late'])
    expect(texts.since(21)).toEqual([])
  })

  it('are bounded in number and in length', () => {
    const texts = new UncorrelatedTexts()
    for (let at = 0; at < 100; at++) texts.add(`${at} ${'x'.repeat(10_000)}`, at)
    const kept = texts.since(0)
    expect(kept.length).toBe(16)
    expect(kept[0]).toMatch(/^84 x/)
    expect(kept.at(-1)).toMatch(/^99 x/)
    expect(Math.max(...kept.map((text) => text.length))).toBe(2048)
  })

  it('are forgotten with their connection', () => {
    const texts = new UncorrelatedTexts()
    expect(texts.isEmpty).toBe(true)
    texts.add('text', 0)
    expect(texts.isEmpty).toBe(false)
    texts.clear()
    expect(texts.isEmpty).toBe(true)
    expect(texts.since(0)).toEqual([])
  })
})
