import { expect, test } from 'vitest'
import { createReceivedLog } from '../../../src/simulator/service/received-log.js'

test('the latest entries, in order, as a copy', () => {
  const journal = createReceivedLog<number>(3)
  for (const entry of [1, 2, 3, 4, 5]) journal.add(entry)
  const entries = journal.entries
  journal.add(6)
  expect(entries).toEqual([3, 4, 5])
  expect(journal.entries).toEqual([4, 5, 6])
})
