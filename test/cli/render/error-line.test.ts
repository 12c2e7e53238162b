import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { errorLine } from '../../../src/cli/render/error-text.js'
import { httpError, stale, unauthorized } from '../../../src/base/errors/constructors.js'
import { readPage } from '../../docs/support/block.js'
import { errors } from '../../base/errors/support/arbitraries.js'

const guide = 'https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md'

test('errorLine has the message of an error and the address of its heading in the guide', () => {
  const error = stale('svc-0xab', 30_000, undefined)
  expect(errorLine(error)).toBe(`${error.message}; see ${guide}#stale`)
})

test.each([
  [
    'its title',
    httpError(502, '<html><head><title> 502 Bad\nGateway </title></head><body>nginx</body>', 2000),
    'status 502: 502 Bad Gateway; retry after 2000 ms; see ',
  ],
  [
    'its first words without a title',
    httpError(
      503,
      `<!DOCTYPE html><style>p {}</style><p>Down for <b>maintenance</b>${'<br>wait'.repeat(500)}`,
      undefined,
    ),
    'status 503: Down for maintenance wait wait',
  ],
  [
    'its title',
    unauthorized('<html><title>Log in</title>'),
    'the service rejected the signature (401: Log in); check',
  ],
  ['other text as it is', httpError(500, 'a < b <title>', undefined), 'status 500: a < b <title>; see '],
])('errorLine has %s of a page that a proxy has sent', (_, error, start) => {
  const line = errorLine(error)
  expect(line.slice(0, start.length)).toBe(start)
  expect(line.length).toBeLessThan(400)
})

/** The addresses of the headings, as web sites and editors derive them. */
const addresses = [...readPage('docs/reference/errors.md').matchAll(/^#+ (.*)$/gm)].map(
  ([, title = '']) => `${guide}#${title.toLowerCase().replaceAll(' ', '-')}`,
)

it.each(Object.entries(errors))(
  '%s has the heading that its line names, and no name of a type, for any error',
  (tag, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (error) => {
        const line = errorLine(error)
        const [, address = ''] = /; see ([^ ]+)$/.exec(line) ?? []
        expect(line.startsWith(`${tag}: `)).toBe(false)
        expect(addresses).toContain(address)
      }),
    )
  },
)
