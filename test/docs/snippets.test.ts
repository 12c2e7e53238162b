import { describe, expect, it } from 'vitest'
import { filesBelow, readPage } from './support/block.js'
import { claimsOf } from './support/claims.js'
import { compile } from './support/compile.js'
import { examplesOfSource } from './support/doc-comments.js'
import { blocksOfPage } from './support/markdown.js'

const pages = ['README.md', ...filesBelow('docs', '.md')]
const sources = filesBelow('src', '.ts')
const blocks = [...pages.flatMap(blocksOfPage), ...sources.flatMap(examplesOfSource)]
const compiled = compile(blocks)

it('finds every example', () => {
  const opened = [
    ...pages.map((page) => readPage(page).match(/``` *(?:ts|typescript)\b/g)),
    ...sources.map((source) => readPage(source).match(/^ *\/?\*+ @example/gm)),
  ].flatMap((found) => found ?? [])
  expect(blocks.length).toBe(opened.length)
})

describe('an example compiles', () => {
  it.each(blocks.map((block) => [`${block.page}:${block.line}`, block] as const))('%s', (_, block) => {
    expect(compiled.errorsOf(block)).toEqual([])
  })
})

describe('an example states the correct value or type', () => {
  const claims = blocks.flatMap((block) => claimsOf(block, compiled))

  it.each(claims.map((claim) => [claim.place, claim.stated, claim] as const))(
    '%s: %s',
    (_, stated, { actual }) => {
      expect(actual()).toBe(stated)
    },
  )
})
