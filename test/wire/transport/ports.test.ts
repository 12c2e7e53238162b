import { expect, it } from 'vitest'
import { headerOf } from '../../../src/wire/transport/ports.js'

it('headerOf returns the first value of a header, or undefined', () => {
  const response = { status: 200, body: '', headers: { one: 'a', several: ['b', 'c'], none: [] } }
  expect(['one', 'several', 'none', 'other'].map((name) => headerOf(response, name))).toEqual([
    'a',
    'b',
    undefined,
    undefined,
  ])
})
