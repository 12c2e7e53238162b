import { appendFileSync, mkdtempSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import type { PaperEvent } from 'svc-streams/paper'
import { describe, expect, it } from 'vitest'
import { openJournalFile } from '../../../src/backtest/account/journal/journal-file.js'
import { journalLines, startLine } from '../../../src/backtest/account/journal/journal.js'
import { bigintAsText } from '../../../src/base/domain/plain-decimal.js'
import { JournalFills } from '../../../src/dashboard/server/journal-fills.js'
import { filled, savedState } from '../support/journal.js'
import { btc, eth } from '../support/tokens.js'

const folder = mkdtempSync(join(tmpdir(), 'dashboard-journal-'))
let journals = 0

const start = (lines?: string) => {
  const journal = join(folder, `${++journals}.ndjson`)
  if (lines !== undefined) writeFileSync(journal, lines)
  const fills = new JournalFills(journal, [eth, btc])
  const read = async (): Promise<readonly string[]> => {
    await fills.read()
    return fills.entries.map(({ symbols, text }) => [...symbols, text].join(' '))
  }
  return { journal, fills, read }
}

const one = 10n ** 18n
const buy = filled('ETH', 'buy', one, 2500, 1)
const sell = filled('ETH', 'sell', 3n * one, 2600, 2)
const bought = 'ETH buy 1.0000 at 2,500.0000 USD, position 1.0000'
const sold = 'ETH sell 3.0000 at 2,600.0000 USD, position -2.0000'
/** The line of an event without the state after it. */
const eventLine = (event: PaperEvent): string => `${JSON.stringify(event, bigintAsText)}\n`

const equity: PaperEvent = { _tag: 'Equity', at: 1, equityUsd: 0, isCurrent: true, prices: {} }

describe('the fills of a journal', () => {
  it('are there when it is, the newest first, each with the position after it', async () => {
    const { journal, fills, read } = start()
    expect(await read()).toEqual([])
    appendFileSync(journal, journalLines([equity, buy], savedState))
    expect(await read()).toEqual([bought])
    const { entries } = fills
    await read()
    expect(fills.entries).toBe(entries)
    appendFileSync(journal, journalLines([sell, filled('DOGE', 'buy', 5n, 0.1)], savedState))
    expect(await read()).toEqual(['DOGE buy 5 units at 0.100000 USD, position 5 units', sold, bought])
    expect(fills.entries.map(({ mark }) => mark?.side)).toEqual(['buy', 'sell', 'buy'])
  })

  it('are those of a reading from its start, wherever the earlier readings ended', async () => {
    const events = fc.array(fc.constantFrom('buy', 'sell', 'equity', 'state'), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(events, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), async (all, cuts) => {
        const lines = all.map((each) =>
          each === 'state' ? journalLines([], savedState) : eventLine({ buy, sell, equity }[each]),
        )
        const text = lines.join('')
        const { journal, read } = start('')
        for (const end of cuts.map((cut) => Math.floor(cut * text.length)).sort((a, b) => a - b)) {
          writeFileSync(journal, text.slice(0, end))
          await read()
        }
        writeFileSync(journal, text)
        expect(await read()).toEqual(await start(text).read())
      }),
      { numRuns: 40 },
    )
  })

  it('are without one that is torn, or whose state is missing, also after the account has removed it', async () => {
    const { journal, read } = start(startLine(0) + journalLines([buy], savedState))
    appendFileSync(journal, `${eventLine(sell)}{"_tag":"Fil`)
    expect(await read()).toEqual([bought])
    const account = openJournalFile(journal)
    // The account has the lock of the journal.
    expect(await read()).toEqual([bought])
    account.write(journalLines([sell], savedState))
    expect(await read()).toEqual([sold, bought])
    account.close()
  })

  it('are those of the new journal when it was moved away or emptied', async () => {
    const { journal, read } = start(journalLines([buy, sell], savedState))
    expect(await read()).toHaveLength(2)
    renameSync(journal, `${journal}.1`)
    expect(await read()).toHaveLength(2)
    writeFileSync(journal, journalLines([equity, buy], savedState))
    expect(await read()).toEqual([bought])
    truncateSync(journal, 0)
    expect(await read()).toEqual([])
  })

  it('stay, with an entry that says why, while the journal cannot be read', async () => {
    const { journal, fills, read } = start(journalLines([buy], savedState))
    await read()
    appendFileSync(journal, 'x\n')
    expect(isLeft(await fills.read())).toBe(true)
    const [problem, first] = await read()
    expect(problem).toMatch(/^line 3 of .*: expected a line of a journal|expected an event of an account/)
    expect(first).toBe(bought)
    expect(await read()).toHaveLength(2)
    writeFileSync(journal, journalLines([buy, sell], savedState))
    expect(isRight(await fills.read())).toBe(true)
    expect(await read()).toEqual([sold, bought])
  })
})
