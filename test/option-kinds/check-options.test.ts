import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/errors/configuration-error.js'
import { checkNames, checkShapes, numbersOf } from '../../src/option-kinds/check-options.js'
import { numberOption } from '../../src/option-kinds/number-option.js'
import { flagOption, nestedOption, objectOption } from '../../src/option-kinds/option.js'

interface Inner {
  readonly depth?: number
}

const innerTable = { depth: numberOption({ above: 0, max: 9, default: 1 }) }

const table = {
  loud: flagOption({}),
  length: numberOption({ min: 2, default: 3 }),
  limit: numberOption({ min: 1, default: Infinity }),
  handler: objectOption<{ run: () => void; stop: () => void }>(['run', 'stop']),
  nested: nestedOption<Inner>(innerTable),
}
const { length, limit } = table

const messageOf = (check: () => unknown): string => {
  try {
    check()
    return 'accepted'
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigurationError)
    return (thrown as ConfigurationError).message
  }
}

describe('checkShapes', () => {
  it.each<[unknown, string]>([
    [{}, 'accepted'],
    [{ loud: true, handler: { run: () => 1, stop: () => 1 }, nested: {}, other: 1 }, 'accepted'],
    [null, 'options: expected an object'],
    [[], 'options: expected an object'],
    [{ loud: 'yes' }, 'loud: expected true or false'],
    [{ handler: { run: () => 1 } }, 'handler: expected an object with the methods run and stop'],
    [{ handler: null }, 'handler: expected an object with the methods run and stop'],
    [{ nested: 1 }, 'nested: expected an object'],
  ])('%j: %s', (options, message) => {
    expect(messageOf(() => checkShapes(options as object, table))).toBe(message)
  })
})

describe('checkNames', () => {
  it.each<[object, string]>([
    [{ length: 1, unrelated: 2 }, 'accepted'],
    [{ lenght: 1 }, 'lenght: did you mean length?'],
    [{ length: 1, lenght: 1 }, 'lenght: did you mean length?'],
    [{ nested: { dpeth: 1 } }, 'nested.dpeth: did you mean nested.depth?'],
    [{ length: undefined }, 'length: is undefined; omit the option or set a value'],
    [{ unrelated: undefined }, 'unrelated: is undefined; omit the option or set a value'],
    [{ nested: { depth: undefined } }, 'nested.depth: is undefined; omit the option or set a value'],
  ])('%j: %s', (options, message) => {
    expect(messageOf(() => checkNames(options, table))).toBe(message)
  })

  it('ignores inherited and symbol properties', () => {
    const options = Object.assign(Object.create({ lenght: 1 }) as object, { [Symbol('lenght')]: 1 })
    expect(messageOf(() => checkNames(options, table))).toBe('accepted')
  })
})

describe('numbersOf', () => {
  it('completes absent numbers by their defaults', () => {
    expect(numbersOf({}, { length, limit })).toEqual({ length: 3, limit: Infinity })
    expect(numbersOf({ length: 2.5, limit: 1 }, { length, limit })).toEqual({ length: 2.5, limit: 1 })
  })

  it.each<[object, string]>([
    [{ length: 1.9 }, 'a.length: expected a finite number of at least 2'],
    [{ length: Infinity }, 'a.length: expected a finite number of at least 2'],
    [{ length: NaN }, 'a.length: expected a finite number of at least 2'],
    [{ length: '3' }, 'a.length: expected a finite number of at least 2'],
    [{ limit: 0 }, 'a.limit: expected a number of at least 1'],
    [{ limit: Infinity }, 'accepted'],
  ])('%o: %s', (options, message) => {
    expect(messageOf(() => numbersOf(options, { length, limit }, 'a.'))).toBe(message)
  })

  it.each([0, 9.1, -1])('rejects %d outside an exclusive and an inclusive bound', (depth) => {
    expect(messageOf(() => numbersOf({ depth }, innerTable))).toBe(
      'depth: expected a number above 0 and at most 9',
    )
  })
})
