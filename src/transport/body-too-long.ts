import { decodeError } from '../errors/constructors.js'
import type { DecodeError } from '../errors/model.js'

/** The error of a body that exceeds the limit. `text`: its beginning. */
export const bodyTooLong = (text: string, maxBytes: number): DecodeError =>
  decodeError('body', text, [{ path: '', expected: `at most ${maxBytes} bytes`, actual: 'more' }])
