import { expect } from 'vitest'
import type { DecodeError, Tagged } from '../../../../src/base/errors/model.js'
import { renderError } from '../../../../src/base/errors/render.js'
import { unsafeInLine } from '../../../support/unsafe-characters.js'

/** A value that describes the fault in one line, and can be converted to JSON and cloned. */
export const expectWellFormed = (error: Tagged<string>): void => {
  expect(error.message).not.toBe('')
  expect(error.message).not.toMatch(unsafeInLine)
  expect(renderError(error)).toBe(`${error._tag}: ${error.message}`)
  expect(structuredClone(error)).toEqual(error)
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ _tag: error._tag, message: error.message })
}

/** That, and what a `DecodeError` promises besides. */
export const expectDecodeError = (error: DecodeError, input: string): void => {
  expect(error._tag).toBe('DecodeError')
  expect(error.issues).not.toHaveLength(0)
  expect(error.input.length).toBeLessThanOrEqual(2048)
  expect(input.startsWith(error.input)).toBe(true)
  expect(error.message.length).toBeLessThan(5000)
  expectWellFormed(error)
}
