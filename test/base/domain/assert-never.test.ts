import { describe, expect, it } from 'vitest'
import { assertNever } from '../../../src/base/domain/assert-never.js'

describe('assertNever', () => {
  it.each([
    ['the _tag', { _tag: 'Stale', last: 'secret' }, 'Stale'],
    ['the type of an object without _tag', { kind: 'secret' }, 'object'],
    ['the type of an object whose _tag is not a string', { _tag: 1, kind: 'secret' }, 'object'],
    ['the type of a string', 'secret', 'string'],
    ['the type of undefined', undefined, 'undefined'],
    ['null', null, 'null'],
  ])('throws a TypeError that names %s', (_, value, name) => {
    expect(() => assertNever(value as never)).toThrow(new TypeError(`unexpected case: ${name}`))
  })
})
