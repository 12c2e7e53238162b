import { expect, test } from 'vitest'
import { ReceivedLog } from '../../../src/simulator/service/service-context.js'

test('a received log keeps the latest entries in order and returns a copy', () => {
  const log = new ReceivedLog<number>(3)
  for (const entry of [1, 2, 3, 4, 5]) log.add(entry)
  const entries = log.entries
  log.add(6)
  expect(entries).toEqual([3, 4, 5])
  expect(log.entries).toEqual([4, 5, 6])
})
