import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InterimResponses } from '../../../../src/wire/transport/undici-transport.js'

const final = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** Reads the pieces as one response. Returns the bytes that pass. */
const read = (pieces: readonly Buffer[]): string => {
  const responses = new InterimResponses()
  responses.expect()
  return pieces.map((piece) => responses.read(piece).toString('latin1')).join('')
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Splits bytes at random places. */
const split = (bytes: Buffer): fc.Arbitrary<readonly Buffer[]> =>
  fc.uniqueArray(fc.integer({ min: 1, max: Math.max(1, bytes.length - 1) })).map((cuts) => {
    const ends = [...cuts.sort((a, b) => a - b), bytes.length]
    return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
  })

const text = fc.string({ unit: fc.constantFrom(...Array.from('aZ19 :/H\tä')), maxLength: 12 })
const status = fc
  .integer({ min: 100, max: 199 })
  .filter((each) => each !== 101)
  .map(String)
const interim = fc
  .tuple(fc.constantFrom('0', '1'), status, text, fc.array(fc.tuple(text, text), { maxLength: 3 }))
  .map(
    ([minor, code, reason, headers]) =>
      `HTTP/1.${minor} ${code} ${reason}\r\n${headers.map(([name, value]) => `x${name}: ${value}\r\n`).join('')}\r\n`,
  )
const other = fc.oneof(
  fc.constantFrom(final, 'HTTP/1.1 101 Switching\r\n\r\n', 'HTTP/2.0 103\r\n\r\n', 'HTTP/1.1 1000 a\r\n'),
  fc.constantFrom(
    '',
    'H',
    'HTTP/1.1 1',
    'HTTP/1.1 100',
    'HTTP/1.1 100\n\n',
    '\r\nHTTP/1.1 100 \r\n\r\n',
    '1',
  ),
  fc.string({ unit: fc.constantFrom(...Array.from('HTP/1. 0\r\n')), maxLength: 30 }),
  fc.nat({ max: final.length }).map((length) => final.slice(0, length)),
)

/** The model: what passes of a whole text. A part that is too short to have a status does not pass. */
const withoutInterim = (response: string): string => {
  const rest = response.replace(/^(?:HTTP\/1\.[01] 1(?!01)\d\d[ \r][^]*?\r\n\r\n)*/, '')
  const isHeld = rest.length < 13 || /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/.test(rest)
  return isHeld ? '' : rest
}

describe('InterimResponses', () => {
  it('removes every interim response before a response, for any split of the bytes', () => {
    fc.assert(
      fc.property(
        fc
          .tuple(fc.array(interim, { maxLength: 3 }), other)
          .map(([interims, rest]) => interims.join('') + rest)
          .chain((whole) => fc.tuple(fc.constant(whole), split(bytesOf(whole)))),
        ([whole, pieces]) => {
          expect(read(pieces)).toBe(withoutInterim(whole))
        },
      ),
    )
  })

  it.each(['100 Continue', '102 Processing', '103 Early Hints', '199 X', '100 '])(
    'removes %s at each split into two pieces',
    (line) => {
      const bytes = bytesOf(`HTTP/1.1 ${line}\r\nLink: </a>; rel=preload\r\n\r\n${final}`)
      for (let at = 0; at <= bytes.length; at++) {
        expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toBe(final)
      }
    },
  )

  it('passes a response unchanged, without a copy', () => {
    const responses = new InterimResponses()
    responses.expect()
    const bytes = bytesOf(final)
    expect(responses.read(bytes)).toBe(bytes)
    expect(responses.read(bytes)).toBe(bytes)
  })

  it('passes an interim response that no request expects', () => {
    const unexpected = bytesOf('HTTP/1.1 100 Continue\r\n\r\n')
    const responses = new InterimResponses()
    expect(responses.read(unexpected)).toBe(unexpected)
    responses.expect()
    responses.read(bytesOf(final))
    expect(responses.read(unexpected)).toBe(unexpected)
  })

  it('passes the status 101', () => {
    const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'
    expect(read([bytesOf(switching)])).toBe(switching)
  })

  it('passes an interim response of more than 16 kB, and all that follows', () => {
    const start = 'HTTP/1.1 103 Early Hints\r\n'
    const header = `a: ${'b'.repeat(8000)}\r\n`
    expect(read([start, header].map(bytesOf))).toBe('')
    expect(read([start, header, header, header].map(bytesOf))).toBe(start + header.repeat(3))
  })
})
