import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RowSorter, type SortedRow } from '../../../src/backtest/import/row-sorter.js'
import { caseCount } from '../../support/run/long.js'

const temporaryFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('svc-streams-import-'))

const rows = fc.array(
  fc.record({
    // Few times, so that many rows are of one ms, and the largest ones.
    at: fc.oneof(
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 946_684_800_000, max: 4_102_444_799_999 }),
    ),
    value: fc.double({ noNaN: true }),
    tag: fc.nat({ max: 2 ** 32 - 1 }),
    text: fc.oneof(fc.constant(''), fc.stringMatching(/^[0-9 ]{0,60}$/)),
  }),
  { maxLength: 60 },
)

const sortedBy = (added: readonly SortedRow[], runBytes?: number): readonly SortedRow[] => {
  const sorter = new RowSorter(runBytes === undefined ? {} : { runBytes })
  try {
    for (const { at, value, tag, text } of added) sorter.add(at, value, tag, text)
    const first = Array.from(sorter.sorted(), (row) => ({ ...row }))
    expect(Array.from(sorter.sorted(), (row) => ({ ...row }))).toEqual(first)
    return first
  } finally {
    sorter.close()
  }
}

describe('RowSorter', () => {
  it.each([
    ['in memory', undefined],
    ['in many runs', 1],
  ])('sorts rows by time and keeps the order of one ms: %s', (_, runBytes) => {
    fc.assert(
      fc.property(rows, (added) => {
        expect(sortedBy(added, runBytes)).toEqual([...added].sort((a, b) => a.at - b.at))
      }),
      { numRuns: caseCount(2000) },
    )
  })

  it('merges runs of many rows, in any order, and removes its temporary folder', () => {
    const before = temporaryFolders()
    const count = 50_000
    const added = Array.from({ length: count }, (_, index) => ({
      at: (index * 7919) % 30_011,
      value: index,
      tag: index,
      text: index % 3 === 0 ? String(index) : '',
    }))
    expect(sortedBy(added, 100_000)).toEqual([...added].sort((a, b) => a.at - b.at))
    expect(temporaryFolders()).toEqual(before)
  })
})
