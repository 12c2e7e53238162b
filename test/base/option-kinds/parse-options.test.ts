import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/base/errors/configuration-error.js'
import { numberOption } from '../../../src/base/option-kinds/number-option.js'
import {
  flagOption,
  nestedOption,
  objectOption,
  parsedOption,
  required,
} from '../../../src/base/option-kinds/option.js'
import { display, parseOptions, type CheckRules } from '../../../src/base/option-kinds/parse-options.js'

const innerTable = { depth: numberOption({ above: 0, max: 9, default: 1 }) }

const table = {
  loud: flagOption(true),
  length: numberOption({ min: 2, default: 3 }),
  limit: numberOption({ min: 1, default: Infinity }),
  handler: objectOption<{ run: () => void; stop: () => void }>(['run', 'stop']),
  nested: { ...nestedOption(innerTable), default: {} },
  absent: nestedOption(innerTable),
  text: parsedOption<string>('string', 'a text'),
}

const messageOf = (check: () => unknown): string => {
  try {
    check()
    return 'accepted'
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigurationError)
    return (thrown as ConfigurationError).message
  }
}

const problemOf = (options: unknown, rules?: CheckRules): string =>
  messageOf(() => parseOptions(table, options, rules))

describe('parseOptions', () => {
  it('completes absent options by their defaults, also inside of others', () => {
    expect(parseOptions(table, {})).toEqual({
      ...{ loud: true, length: 3, limit: Infinity, handler: undefined },
      ...{ nested: { depth: 1 }, absent: undefined, text: undefined },
    })
    const given = { loud: false, length: 2.5, limit: 1, nested: { depth: 9 }, absent: {}, text: 5 }
    expect(parseOptions(table, given)).toEqual({ ...given, absent: { depth: 1 }, handler: undefined })
  })

  it.each<[unknown, string]>([
    [{}, 'accepted'],
    [{ loud: true, handler: { run: () => 1, stop: () => 1 }, nested: {}, other: 1 }, 'accepted'],
    [null, 'options: expected an object'],
    [[], 'options: expected an object'],
    [() => 1, 'options: expected an object'],
    [{ loud: 'yes' }, 'loud: expected true or false'],
    [{ handler: { run: () => 1 } }, 'handler: expected an object with the methods run and stop'],
    [{ handler: null }, 'handler: expected an object with the methods run and stop'],
    [{ nested: 1 }, 'nested: expected an object'],
  ])('checks that options have their type: %j: %s', (options, message) => {
    expect(problemOf(options)).toBe(message)
  })

  it.each<[object, string]>([
    [{ length: 2, unrelated: 2 }, 'accepted'],
    [{ lenght: 1 }, 'lenght: did you mean length?'],
    [{ length: 1, lenght: 1 }, 'lenght: did you mean length?'],
    [{ nested: { dpeth: 1 } }, 'nested.dpeth: did you mean nested.depth?'],
    [{ length: undefined }, 'length: is undefined; omit the option or set a value'],
    [{ unrelated: undefined }, 'accepted'],
    [{ nested: { depth: undefined } }, 'nested.depth: is undefined; omit the option or set a value'],
  ])('checks the names: %j: %s', (options, message) => {
    expect(problemOf(options)).toBe(message)
  })

  it('ignores the names of inherited and symbol properties', () => {
    const options = Object.assign(Object.create({ lenght: 1 }) as object, { [Symbol('lenght')]: 1 })
    expect(problemOf(options)).toBe('accepted')
  })

  it('reads inherited values', () => {
    expect(parseOptions(table, Object.create({ length: 5 }))).toMatchObject({ length: 5 })
  })

  it.each<[object, string]>([
    [{ length: 1.9 }, 'length: expected a finite number of at least 2'],
    [{ length: Infinity }, 'length: expected a finite number of at least 2'],
    [{ length: NaN }, 'length: expected a finite number of at least 2'],
    [{ length: '3' }, 'length: expected a finite number of at least 2'],
    [{ limit: 0 }, 'limit: expected a number of at least 1'],
    [{ limit: Infinity }, 'accepted'],
    [{ nested: { depth: 0 } }, 'nested.depth: expected a number above 0 and at most 9'],
  ])('checks numbers: %o: %s', (options, message) => {
    expect(problemOf(options)).toBe(message)
  })

  it.each([0, 9.1, -1])('rejects %d outside an exclusive and an inclusive bound', (depth) => {
    expect(messageOf(() => parseOptions(innerTable, { depth }))).toBe(
      'depth: expected a number above 0 and at most 9',
    )
  })

  it('rejects a required option that is absent, unless a parser of its own checks it', () => {
    const length = required(table.length)
    expect(messageOf(() => parseOptions({ length: { ...length, default: undefined } }, {}))).toBe(
      'length: expected a finite number of at least 2',
    )
    expect(messageOf(() => parseOptions({ text: required(table.text) }, {}))).toBe('accepted')
  })

  it('follows the rules of the rules', () => {
    class OtherError extends ConfigurationError {}
    expect(problemOf({ length: undefined }, { allowsUndefined: true })).toBe('accepted')
    expect(problemOf({ servrs: 1 }, { otherNames: ['servers'] })).toBe('servrs: did you mean servers?')
    expect(problemOf({ servers: 1 }, { otherNames: ['servers'] })).toBe('accepted')
    expect(problemOf(5, { name: 'fields', expected: 'fields' })).toBe('fields: expected fields')
    expect(problemOf({ other: 1 }, { rejectsUnknown: 'fault' })).toBe(
      'other: unknown fault; expected one of loud, length, limit, handler, nested, absent, text',
    )
    expect(problemOf({ length: 'a\nb' }, { format: display })).toBe(
      'length: expected a finite number of at least 2, got "a\\nb"',
    )
    expect(() => parseOptions(table, 5, { Failure: OtherError })).toThrow(OtherError)
  })

  it('prefixes names by the name of the whole', () => {
    const inner = (options: unknown) => messageOf(() => parseOptions(innerTable, options, {}, 'tokens'))
    expect(inner(5)).toBe('tokens: expected an object')
    expect(inner({ dpeth: 5 })).toBe('tokens.dpeth: did you mean tokens.depth?')
    expect(inner({ depth: 0 })).toBe('tokens.depth: expected a number above 0 and at most 9')
  })
})
