import { describe, expect, it } from 'vitest'
import { appended, symbolsText, type LogEntry } from '../../src/view/display.js'

describe('appended', () => {
  const text = (value: string) => ({ tone: 'bad', text: value }) as const

  it('keeps the newest 100 entries, each with its own id', () => {
    const log = Array.from({ length: 150 }, (_, index) => index).reduce<readonly LogEntry[]>(
      (entries, index) => appended(entries, index, text(`event ${index}`)),
      [],
    )
    expect(log).toHaveLength(100)
    expect(log[0]).toMatchObject({ id: 150, text: 'event 149' })
    expect(new Set(log.map(({ id }) => id)).size).toBe(100)
  })

  it('does not merge events that are far apart', () => {
    const log = appended(appended([], 0, text('silent'), 'ETH'), 5000, text('silent'), 'BTC')
    expect(log.map(({ symbols }) => symbols)).toEqual([['BTC'], ['ETH']])
  })

  it('names up to four tokens, and counts more', () => {
    const entryOf = (...symbols: readonly string[]) =>
      symbols.reduce<readonly LogEntry[]>((log, symbol) => appended(log, 0, text('silent'), symbol), [])[0]!
    expect(symbolsText(entryOf('A', 'B', 'A', 'C', 'D'))).toBe('A, B, C, D')
    expect(symbolsText(entryOf('A', 'B', 'C', 'D', 'E'))).toBe('5 tokens')
  })
})
