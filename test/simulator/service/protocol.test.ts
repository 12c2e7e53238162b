import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseClientMessage } from '../../../src/simulator/service/protocol.js'

test('parseClientMessage parses subscribe and unsubscribe and ignores unknown fields (section 4.3)', () => {
  expect(parseClientMessage('{"method":"subscribe","topic":"svc-0xab"}')).toEqual({
    method: 'subscribe',
    topic: 'svc-0xab',
  })
  expect(parseClientMessage(' {"id":7,"topic":"","method":"unsubscribe"} ')).toEqual({
    method: 'unsubscribe',
    topic: '',
  })
})

test.each([
  ['', 'expected a JSON object'],
  ['{', 'expected a JSON object'],
  ['null', 'expected a JSON object'],
  ['[]', 'expected a JSON object'],
  ['"subscribe"', 'expected a JSON object'],
  ['{}', 'expected method to be subscribe or unsubscribe'],
  ['{"method":"Subscribe","topic":"svc-0xab"}', 'expected method to be subscribe or unsubscribe'],
  ['{"method":"subscribe"}', 'expected topic to be a string'],
  ['{"method":"unsubscribe","topic":["svc-0xab"]}', 'expected topic to be a string'],
])('parseClientMessage returns the error text of an invalid request for %s (section 7)', (text, problem) => {
  expect(parseClientMessage(text)).toBe(`Invalid request: ${problem}`)
})

test('parseClientMessage returns a message or an error text that is not JSON, for any text', () => {
  const any = fc.oneof(
    fc.string(),
    fc.json(),
    fc.record({ method: fc.string(), topic: fc.anything() }).map((value) => JSON.stringify(value)),
  )
  fc.assert(
    fc.property(any, (text) => {
      const message = parseClientMessage(text)
      if (typeof message !== 'string') return
      expect(() => void JSON.parse(message)).toThrow(SyntaxError)
    }),
  )
})
