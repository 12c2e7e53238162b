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
let reference: ReadonlyMap<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-streams-'))
  const run = async (...options: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const out = await mkdtemp(join(folder, 'out-'))
    const args = ['node_modules/typedoc/bin/typedoc', ...options, '--out', out]
    await promisify(execFile)('node', args, { cwd: root })
    return readFiles(out)
  }
  reference = await run('--options', 'typedoc.markdown.json')
  files = await run()
}, 300_000)

const readFiles = async (out: string): Promise<ReadonlyMap<string, string>> => {
  const entries = await readdir(out, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const read = async (path: string) =>
    [relative(out, path).replaceAll(sep, '/'), await readFile(path, 'utf8')] as const
  return new Map(await Promise.all(paths.map(read)))
}

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
  const path = `docs/reference/api/${entryPoint}.md`

  it('is up to date: `npm run docs` writes it', () => {
    expect(readPage(path)).toBe(reference.get(`${entryPoint}.md`))
  })

  it('is listed in llms.txt and contained in llms-full.txt', () => {
    expect(files.get('llms.txt')).toContain(`- [${entryPoint}](${path}): `)
    expect(files.get('llms-full.txt')).toContain(`<!-- ${path} -->\n\n# ${entryPoint}\n`)
  })

  it('names each export', () => {
    const headings = new Set(reference.get(`${entryPoint}.md`)?.match(/^### \w+\$?/gm))
    for (const name of Object.keys(exported)) expect(headings).toContain(`### ${name}`)
  })
})
