import { describe, expect, it } from 'vitest'
import { readPage } from './support/block.js'

const model = readPage('src/errors/model.ts')

/** The `_tag` of every error. */
const tags = [...model.matchAll(/Tagged<'(\w+)'>/g)].map(([, tag = '']) => tag)

/** The members of one of the unions. */
const membersOf = (union: string): readonly string[] => {
  const [, members = ''] = new RegExp(`export type ${union} =([\\s\\S]*?)(?:\\n\\n|$)`).exec(model) ?? []
  return members.split('|').flatMap((member) => (member.trim() === '' ? [] : [member.trim()]))
}

/** The errors that the methods of a client emit. */
const emitted = [...new Set(['PriceError', 'PriceRequestError', 'DepthError'].flatMap(membersOf))]

describe('each error', () => {
  it.each(tags)('%s is a member of AnyError', (tag) => {
    expect([...emitted, ...membersOf('AnyError')]).toContain(tag)
  })

  it.each(tags)('%s is exported by src/index.ts', (tag) => {
    expect(readPage('src/index.ts')).toMatch(new RegExp(`^  ${tag},$`, 'm'))
  })

  it.each(tags)('%s is in the guide to errors', (tag) => {
    expect(readPage('docs/guides/errors.md')).toContain(`\`${tag}\``)
  })
})

describe('each error that a client emits', () => {
  it.each(emitted)('%s is in the table of the README', (tag) => {
    expect(readPage('README.md')).toMatch(new RegExp(`^\\|.*\`${tag}\`.*\\|`, 'm'))
  })

  it.each(emitted)('%s is caused over a real socket in the error table', (tag) => {
    expect(readPage('test/errors/error-table.test.ts')).toMatch(new RegExp(`\\b${tag}\\b`))
  })
})
