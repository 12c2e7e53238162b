import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { errorLine } from '../../../src/cli/render/error-text.js'
import { stale } from '../../../src/base/errors/constructors.js'
import { readPage } from '../../docs/support/block.js'
import { errors } from '../../base/errors/support/arbitraries.js'

const guide = 'https://github.com/svc-streams/svc-streams/blob/main/docs/reference/errors.md'

test('errorLine has the message of an error and the address of its heading in the guide', () => {
  const error = stale('svc-0xab', 30_000, undefined)
  expect(errorLine(error)).toBe(`${error.message}; see ${guide}#stale`)
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
