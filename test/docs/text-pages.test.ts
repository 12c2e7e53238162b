import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
// @ts-expect-error -- a plugin of typedoc, which has no types
import { textFiles as untyped } from '../../docs/typedoc-text.js'
import { readPage } from './support/block.js'

interface Page {
  readonly path: string
  readonly text: string
}

const textFiles = untyped as (pages: readonly Page[]) => Readonly<Record<string, string>>

const { projectDocuments } = JSON.parse(
  readFileSync(new URL('../../typedoc.json', import.meta.url), 'utf8'),
) as {
  readonly projectDocuments: readonly string[]
}

const pages = ['README.md', ...projectDocuments].map((path): Page => ({ path, text: readPage(path) }))

it('the site has each page as Markdown, and all of them in llms-full.txt', () => {
  const files = textFiles(pages)
  for (const { path, text } of pages) {
    expect(files[path]).toBe(text)
    expect(files['llms-full.txt']).toContain(text)
  }
})

it('llms.txt names each page once, with one sentence', () => {
  const lines =
    textFiles(pages)
      ['llms.txt']?.split('\n')
      .filter((line) => line.startsWith('- ')) ?? []
  expect(lines.map((line) => /\]\((.+?)\): /.exec(line)?.[1])).toEqual(pages.map(({ path }) => path))
  for (const line of lines) expect(line).toMatch(/^- \[[^\]]+\]\([^)]+\): [A-Z`].{10,250}\.$/)
})
