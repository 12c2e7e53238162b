import { expect, it } from 'vitest'
import { remaining } from './recovery.js'

it('remaining finds nothing once a check has found no problem, whatever a later check would find', async () => {
  const results = [['a problem'], ['another problem'], [], ['a later problem']]
  expect(await remaining(() => results.shift() ?? ['too many checks'])).toEqual([])
  expect(results).toEqual([['a later problem']])
})
