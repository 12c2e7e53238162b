import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
// @ts-expect-error -- a plugin of typedoc, which has no types
import { textFiles as untyped } from '../../scripts/typedoc/text.js'
import { filesBelow, readPage } from './support/block.js'
import { deadLinksOf } from './support/links.js'

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

const assets = ['docs/reference/asyncapi.json', ...filesBelow('docs/images', '')]

it('the site has each page as Markdown, and all of them in llms-full.txt', () => {
  const files = textFiles(pages)
  for (const { path, text } of pages) {
    const [heading = '', ...blocks] = text.split(/\n{2,}/).filter((block) => !block.includes(']('))
    for (const block of [heading, ...blocks]) {
      expect(files[path]).toContain(block)
      expect(files['llms-full.txt']).toContain(block)
    }
  }
})

it('the Markdown of the site has no dead link', () => {
  const files = new Map([...Object.entries(textFiles(pages)), ...assets.map((path) => [path, ''] as const)])
  expect(deadLinksOf(files)).toEqual([])
})

it('a link to a file outside the site leads to the repository, and no link in a program changes', () => {
  const text = [
    '# A',
    '[page](b.md#c), ![image](../images/d.svg), [test](../../test/README.md#e), [folder](../../src), [web](https://f.g)',
    '`[code](x.md)`\n\n```md\n[program](x.md)\n```',
  ].join('\n\n')
  const files = textFiles([
    { path: 'README.md', text: '# R\n\nA page.' },
    { path: 'docs/README.md', text: '# D' },
    { path: 'docs/build/a.md', text },
    { path: 'docs/build/b.md', text: '# B' },
  ])
  const repository = 'https://github.com/svc-streams/svc-streams'
  const rewritten = text
    .replace('../../test/', `${repository}/blob/main/test/`)
    .replace('../../src', `${repository}/tree/main/src`)
  expect(files['docs/build/a.md']).toBe(rewritten)
  const fromRoot = rewritten.replace('(b.md', '(docs/build/b.md').replace('../images', 'docs/images')
  expect(files['llms-full.txt']).toContain(fromRoot)
})

it('llms.txt names each page once, with what the page contains', () => {
  const lines =
    textFiles(pages)
      ['llms.txt']?.split('\n')
      .filter((line) => line.startsWith('- ')) ?? []
  expect(lines.map((line) => /\]\((.+?)\): /.exec(line)?.[1])).toEqual(pages.map(({ path }) => path))
  for (const line of lines) expect(line).toMatch(/^- \[[^\]]+\]\([^)]+\): [A-Z`].{10,250}\.$/)
  const summaries = lines.map((line) => line.split('): ')[1])
  expect(new Set(summaries).size).toBe(lines.length)
  for (const summary of summaries) expect(summary).not.toMatch(/^(?:Alert: |Written by|`npx vitest|Rx has)/)
})
