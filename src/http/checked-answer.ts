import { left } from 'fp-ts/lib/Either.js'
import { networkError } from '../errors/constructors.js'
import type { HttpAnswer } from '../transport/ports.js'

/**
 * The result of a request, as the transport passed it. A result of a wrong type is a `NetworkError`: a transport may be
 * plain JavaScript, and each request must have a result.
 */
export const checkedAnswer = (answer: HttpAnswer): HttpAnswer =>
  isAnswer(answer) ? answer : left(networkError(new TypeError('the transport passed an invalid result')))

const isAnswer = (answer: unknown): boolean => {
  if (!isObject(answer)) return false
  const { _tag, left: error, right: response } = answer
  if (_tag === 'Left') return isObject(error) && isText(error['_tag']) && isText(error['message'])
  if (_tag !== 'Right' || !isObject(response)) return false
  return typeof response['status'] === 'number' && isText(response['body']) && isObject(response['headers'])
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isText = (value: unknown): boolean => typeof value === 'string'
