import { expect, test } from 'vitest'
import { createJournal } from '../../../src/simulator/service/journal.js'

test('the latest entries, in order, as a copy', () => {
  const journal = createJournal<number>(3)
  for (const entry of [1, 2, 3, 4, 5]) journal.add(entry)
  const entries = journal.entries
  journal.add(6)
  expect(entries).toEqual([3, 4, 5])
  expect(journal.entries).toEqual([4, 5, 6])
})
