import { describe, expect, it } from 'vitest'
import { readPage } from './support/block.js'

const tagsIn = (file: string): readonly string[] =>
  [...readPage(file).matchAll(/Tagged<'(\w+)'>/g)].map(([, tag = '']) => tag)

const model = readPage('src/base/errors/model.ts')

/** The `_tag` of every error that a client, a history or a recording emits. */
const tags = tagsIn('src/base/errors/model.ts')

/** The `_tag` of every error of a backtest. */
const backtestTags = tagsIn('src/backtest/sweep/sweep-error.ts')

/** The members of one of the unions. */
const membersOf = (union: string): readonly string[] => {
  const [, members = ''] = new RegExp(`export type ${union} =([\\s\\S]*?)(?:\\n\\n|$)`).exec(model) ?? []
  return members.split('|').flatMap((member) => (member.trim() === '' ? [] : [member.trim()]))
}

/** The unions of the errors that the methods of a client and of a history emit. */
const unions = [...model.matchAll(/^export type (\w+Error) =/gm)]
  .map(([, union = '']) => union)
  .filter((union) => union !== 'AnyError')

const emitted = [...new Set(unions.flatMap(membersOf))]

const anyError = membersOf('AnyError').flatMap((member) =>
  unions.includes(member) ? membersOf(member) : [member],
)

/** Of recordings and histories. */
const entryPoints = ['src/backtest/recording/index.ts', 'src/backtest/history/index.ts']

describe('each error', () => {
  it.each(anyError)('%s of AnyError is exported by src/exports.ts', (tag) => {
    expect(readPage('src/exports.ts')).toMatch(new RegExp(`^  ${tag},$`, 'm'))
  })

  it.each(tags.filter((tag) => !anyError.includes(tag)))(
    '%s is exported by the entry point of recordings or of histories alone',
    (tag) => {
      expect(entryPoints.map(readPage).join('\n')).toMatch(new RegExp(`[{,] ${tag}\\b`))
      expect(readPage('src/exports.ts')).not.toMatch(new RegExp(`\\b${tag}\\b`))
    },
  )

  it.each([...tags, ...backtestTags])('%s has a heading in the guide to errors, for links', (tag) => {
    expect(readPage('docs/reference/errors.md')).toMatch(new RegExp(`^### ${tag}$`, 'm'))
  })
})

describe('each union of errors', () => {
  it.each([...unions, 'AnyError'])('%s is closed by a test of its tags', (union) => {
    expect(readPage('test/types/base/errors/model.test-d.ts')).toContain(`expectTypeOf<Tag<${union}>>()`)
  })
})

describe('each error that a client emits', () => {
  it.each(emitted)('%s has a row in the guide to errors', (tag) => {
    expect(readPage('docs/reference/errors.md')).toMatch(new RegExp(`^\\|.*\`${tag}\`.*\\|`, 'm'))
  })

  it.each(emitted)('%s is caused over a real socket in the error table', (tag) => {
    const title = new RegExp(`^ +it\\(['"\`](?:emits|returns|reports?) ${tag}\\b`, 'm')
    expect(readPage('test/base/errors/error-table.test.ts')).toMatch(title)
  })
})
