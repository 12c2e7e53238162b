import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPage, root } from './support/block.js'
import { exportsByEntryPoint } from './support/entry-points.js'
import { deadLinksOf } from './support/links.js'

let folder: string
let files: ReadonlyMap<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-streams-'))
  await promisify(execFile)('node', ['node_modules/typedoc/bin/typedoc', '--out', folder], { cwd: root })
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  files = new Map(
    await Promise.all(
      entries
        .filter((entry) => entry.isFile())
        .map(async ({ parentPath, name }) => {
          const path = relative(folder, join(parentPath, name)).replaceAll(sep, '/')
          return [path, await readFile(join(folder, path), 'utf8')] as const
        }),
    ),
  )
}, 300_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

it('the site has no dead link', () => {
  expect(deadLinksOf(files)).toEqual([])
})

it('the HTML pages link to HTML pages, and not to Markdown', () => {
  const pages = [...files].filter(([path]) => path.endsWith('.html'))
  for (const [path, text] of pages) expect(text, path).not.toMatch(/href="(?!https?:)[^"#]*\.md[#"]/)
})

it('llms.txt describes no two pages by the same sentence', () => {
  const lines = files.get('llms.txt')?.match(/^- .+$/gm) ?? []
  const summaries = lines.map((line) => line.split('): ')[1])
  expect(lines.length).toBeGreaterThan(40)
  expect(new Set(summaries).size).toBe(lines.length)
})

describe.each([...exportsByEntryPoint])('the Markdown reference of %s', (entryPoint, exported) => {
  const path = `docs/reference/api/${entryPoint.split('/')[1] ?? 'index'}.md`

  it('is up to date: `npm run docs` writes it', () => {
    expect(readPage(path)).toBe(files.get(path))
  })

  it('is listed in llms.txt and contained in llms-full.txt', () => {
    expect(files.get('llms.txt')).toContain(`- [${entryPoint}](${path}): `)
    expect(files.get('llms-full.txt')).toContain(`<!-- ${path} -->\n\n# ${entryPoint}\n`)
  })

  it('names each export', () => {
    const text = files.get(path) ?? ''
    for (const name of Object.keys(exported)) expect(text).toMatch(nameIn(name))
  })
})

/** An export in code: `name`, `name(…)`, `const name`, `class name`. */
const nameIn = (name: string): RegExp =>
  new RegExp(`\` ?(?:const |class )?${name.replaceAll('$', '\\$')}(?![\\w$])`)
