import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { installed } from './support/packed.js'

const packed = inject('packed')
const repository = new URL('../../', import.meta.url).pathname

const filesIn = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

const read = (file: string): Promise<string> => readFile(join(packed.package, file), 'utf8')

const sizeOf = async (files: readonly string[]): Promise<number> => {
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(packed.package, file))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

let files: readonly string[]
let modules: readonly string[]

beforeAll(async () => {
  files = await filesIn(packed.package)
  modules = (await filesIn(join(repository, 'src'))).map((file) => file.replace(/\.ts$/, ''))
})

describe('the tarball has just what users need', () => {
  test('next to dist: the papers and the recorded market', () => {
    expect(files.filter((file) => !file.startsWith('dist/'))).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'examples/data/README.md',
      'examples/data/top-of-book.csv',
      'package.json',
    ])
  })

  test('in dist: each module of src, its map and its declarations, and nothing else', () => {
    const expected = modules.flatMap((name) => ['.d.ts', '.js', '.js.map'].map((end) => `dist/${name}${end}`))
    expect(files.filter((file) => file.startsWith('dist/'))).toEqual([...expected].sort())
  })

  test('and is small', async () => {
    expect(await sizeOf(files.filter((file) => file.startsWith('examples/data/')))).toBeLessThan(200_000)
    expect(await sizeOf(files)).toBeLessThan(2_000_000)
  })

  test('it says nothing about the machine that it was made on', async () => {
    for (const file of files) expect(await read(file), file).not.toContain(repository)
  })

  test('every file that package.json points to is there', async () => {
    const { exports, bin, types } = JSON.parse(await read('package.json')) as Record<string, unknown>
    const targets = JSON.stringify([exports, bin, types]).match(
      /(?:\.\/)?(?:dist\/[^"]+|package\.json(?=",|"}))/g,
    )
    const paths = new Set(targets?.map((target) => target.replace(/^\.\//, '')))
    expect(paths.size).toBeGreaterThanOrEqual(9)
    expect(files).toEqual(expect.arrayContaining([...paths]))
  })

  test('the command starts with the line that makes it one', async () => {
    expect(await read('dist/cli/main.js')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })
})

test('installing it brings its dependencies and its peers, once each, and nothing else', async () => {
  const there = await readdir(join(packed.user, 'node_modules'))
  expect(there.filter((name) => !name.startsWith('.')).sort()).toEqual(installed)
  expect(await readdir(packed.package)).not.toContain('node_modules')
})

describe('source maps', () => {
  interface SourceMap {
    readonly sources: readonly string[]
    readonly sourcesContent?: readonly (string | null)[]
  }

  test('every module names its map, and the map carries the source as it is', async () => {
    for (const name of modules) {
      const file = name.split('/').at(-1) ?? ''
      expect((await read(`dist/${name}.js`)).trimEnd()).toContain(`\n//# sourceMappingURL=${file}.js.map`)
      const map = JSON.parse(await read(`dist/${name}.js.map`)) as SourceMap
      expect(map.sourcesContent, name).toEqual([
        await readFile(join(repository, 'src', `${name}.ts`), 'utf8'),
      ])
    }
  })
})

describe('imports', () => {
  /** Examples in comments may import whatever they need. */
  const importsOf = (text: string): readonly string[] =>
    [...text.replace(/\/\*[^]*?\*\//g, '').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
      ([, name]) => name!,
    )

  /** The declarations that a user's compiler reads: those behind the doors, and what they name. */
  const publicDeclarations = async (): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>()
    const visit = async (file: string): Promise<void> => {
      if (found.has(file)) return
      const text = await read(file)
      found.set(file, text)
      const near = importsOf(text).filter((name) => name.startsWith('.'))
      for (const name of near) await visit(join(file, '..', name.replace(/\.js$/, '.d.ts')))
    }
    for (const door of ['', 'operators/', 'testing/', 'recording/', 'simulator/'])
      await visit(`dist/${door}index.d.ts`)
    return found
  }

  test('the public declarations name no package but rxjs, fp-ts and io-ts', async () => {
    for (const [file, text] of await publicDeclarations()) {
      const packages = importsOf(text).filter((name) => !name.startsWith('.'))
      for (const name of packages) {
        expect(name, file).toMatch(/^(?:rxjs|fp-ts\/lib\/\w+\.js|io-ts\/lib\/index\.js)$/)
      }
    }
  })

  test('the public declarations need no types of Node', async () => {
    for (const [file, text] of await publicDeclarations()) {
      const code = text.replace(/\/\*[\s\S]*?\*\//g, '')
      expect(code, file).not.toMatch(/\bNodeJS\.|\bBuffer\b|node:|reference types/)
    }
  })

  test('the code spells fp-ts and io-ts as plain Node resolves them', async () => {
    for (const name of modules) {
      const far = importsOf(await read(`dist/${name}.js`)).filter((to) => /^(?:fp|io)-ts/.test(to))
      for (const to of far) expect(to, name).toMatch(/^(?:fp|io)-ts\/lib\/\w+\.js$/)
    }
  })
})
