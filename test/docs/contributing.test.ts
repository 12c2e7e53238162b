import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isHeavy } from '../support/run/heavy.js'
import { readPage, root } from './support/block.js'

const page = readPage('CONTRIBUTING.md')

/** One file of a way, and how the file before it reaches it. */
interface Step {
  readonly file: string
  readonly link: '→' | '⇢' | undefined
}

const stepsOf = (list: string): readonly Step[] =>
  [...list.matchAll(/^\d+\. (?:(→|⇢) )?`([^`]+)`/gm)].map(([, link, file = '']) => ({
    file,
    link: link as Step['link'],
  }))

/** The lists of the ways, each in its order. */
const lists: readonly (readonly Step[])[] = [...page.matchAll(/^### From .+\n([\s\S]*?)(?=^##)/gm)]
  .flatMap(([, text = '']) => text.split(/\n(?=1\. )/).map(stepsOf))
  .filter((steps) => steps.length > 0)

/** The source files that a source file imports. */
const importsOf = (file: string): readonly string[] =>
  [...readPage(file).matchAll(/from '(\.[^']+)\.js'/g)].map(([, specifier = '']) =>
    join(dirname(file), `${specifier}.ts`),
  )

describe('the ways of a call in CONTRIBUTING.md', () => {
  const links = lists.flatMap((list) =>
    list.slice(1).map(({ file, link }, index) => ({ from: list[index]?.file ?? '', link, to: file })),
  )

  it.each(links)('$from $link $to', ({ from, link, to }) => {
    const isForward = importsOf(from).includes(to)
    expect(isForward || (link === '⇢' && importsOf(to).includes(from))).toBe(true)
  })
})

describe('CONTRIBUTING.md', () => {
  const named = [
    ...page.matchAll(/`((?:src|test|bench|docs|examples)\/[\w./-]+)`/g),
    ...page.matchAll(/\]\((?!https?:|#)([^)#]+)/g),
  ].map(([, path = '']) => path)

  it.each([...new Set(named)])('names %s, which exists', (path) => {
    expect(existsSync(join(root, path))).toBe(true)
  })

  const foldersOf = (path: string): readonly string[] =>
    readdirSync(join(root, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)

  const folders = foldersOf('src')

  it('has a row for each folder of src, and for nothing else', () => {
    const rows = [...page.matchAll(/^\| `src\/(\w+)` /gm)].map(([, folder]) => folder)
    expect(rows.toSorted()).toEqual(folders.toSorted())
  })

  it.each(folders)('the README of src/%s has a row for each of its folders, in at most 40 lines', (name) => {
    const text = readPage(`src/${name}/README.md`)
    const rows = [...text.matchAll(/^\| `([\w-]+)` /gm)].map(([, folder]) => folder)
    expect(rows.toSorted()).toEqual(foldersOf(`src/${name}`).toSorted())
    expect(text.split('\n').length).toBeLessThanOrEqual(40)
  })

  it('states the option for each test of a recipe that `npm test` does not run', () => {
    const recipes = page.split('\n').filter((row) => row.startsWith('| '))
    const withoutOption = recipes.flatMap((row) =>
      [...row.matchAll(/`(test\/[\w/.-]+\.test\.ts)`(?! \(`--mode long`\))/g)].map(([, file = '']) => file),
    )
    expect(withoutOption.filter(isHeavy)).toEqual([])
  })
})

it('the tables of test/README.md have links to files that exist', () => {
  const links = [...readPage('test/README.md').matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
  expect(links.filter(([, path = '']) => !existsSync(join(root, 'test', path)))).toEqual([])
})
